# Two commands for newcomers: make demo, make test. Both do their own set-up on a fresh machine. While you change the core:
# make quick.

SWIFT ?= swift
# How long the tests may take, without their build; .ci/test reads them.
export TEST_SECONDS ?= 2400
export TORTURE_SECONDS ?= 14400
TORTURE_REPORT = .build/torture.txt
SECONDS ?= 60
RELEASE = .build/release/listsync
# On Linux the binary carries Swift's libraries, so that it runs where Swift is not installed.
STATIC := $(if $(filter Linux,$(shell uname)),--static-swift-stdlib -Xlinker -s)

# The settings of every debug build here, so that no command compiles again what another has compiled; a plain
# "swift build" has others, and compiles everything again. Building without debug information, and an index of this
# package alone, saves time. (Without any index, SwiftPM does not find the tests; an empty path makes none for C++.)
# BoringSSL, which swift-nio-ssl brings, takes half as long when its headers are a module, read once and not by each of its
# 400 files. The linker of LLVM, where the toolchain has it, needs half the time of gold, and less memory. The
# engine, and what tests share, is optimized (see Package.swift): tests take half the time. For a debugger:
# make test DEBUG_BUILD= ENGINE=
# In a debug build, ArgumentParser checks all options of a verb at each of its readings, which took half the time of a
# start. The linker puts an empty function in the place of this check; HelpTests checks the options once.
LLD := $(wildcard $(dir $(realpath $(shell command -v $(SWIFT))))ld.lld)
DEBUG_BUILD = -debug-info-format none -Xswiftc -index-ignore-system-modules \
  $(if $(filter Linux,$(shell uname)),-Xcxx -fmodules -Xcxx -fcxx-modules -Xcxx -index-store-path -Xcxx '' \
  $(if $(LLD),-Xswiftc -use-ld=lld -Xlinker \
  '--defsym=$$s14ArgumentParser17ParsableArgumentsPAAE9_validate6parentyAA8InputKeyVSg_tKFZ=_fini'))

# SwiftPM passes the traits to the compiler in the order of a set. In one order, no command compiles again for another.
export SWIFT_DETERMINISTIC_HASHING = 1

ENGINE ?= optimized
ifneq ($(ENGINE),)
quick tests test test-postgres test-citus test-web torture fuzz interop documentation: export LISTSYNC_OPTIMIZED_ENGINE = 1
endif

.PHONY: demo quick tests test test-clients packages wheel wheel-test test-postgres test-citus test-web torture fuzz build install uninstall manual documentation dist dist-test lint \
	traits apple deb deb-test sanitize interop instructions benchmark benchmark-changes benchmark-store benchmark-sizes benchmark-bytes benchmark-publications \
	benchmark-server \
	setup clean

demo: build-listsync
	@LISTSYNC=$(RELEASE) bash Examples/demo.sh

# Builds the tests, so that the limit of their time counts them alone.
tests: setup
	$(SWIFT) build --build-tests $(DEBUG_BUILD)
TESTS = $(SWIFT) test --skip-build $(DEBUG_BUILD)

# Every test, and a share of each campaign: make test ONLY=Kill for the suites with this in their names. Then the clients
# in other languages, which need python3 and node, and are skipped where these are missing.
# The seed of random tests is fixed, so that a test that passes once always passes: make test SEED=7 for another seed,
# SEED=random for a fresh one. Eight tests run at a time: all at once they hold more than a thousand files open, and
# Foundation's Process has crashed with so many.
test: tests
	@GOAL=$@ SEED=$(or $(SEED),1) WIDTH=8 LIMIT=TEST_SECONDS .ci/test $(TESTS) \
	  $(if $(ONLY),--filter '$(ONLY)')
	@$(if $(ONLY),,$(MAKE) --no-print-directory test-clients)

# The tests of ListChanges, ListModel, ListDocuments, ListStore and SQLiteStore, without the long ones: make quick ONLY=Rope
# for some, also long ones. Package.swift then declares no other targets, in a folder of links to the sources: so this has a
# build and resolved versions of its own, and does not disturb those of make test.
QUICK = .build-quick
QUICK_BUILD = $(DEBUG_BUILD) --package-path $(QUICK)
LONG_TESTS = Campaign wideningIsTheDirectComparisonForAllShort stagesOfListsWithDuplicatesTurn twoBatchesTurn \
  theLawsHoldForRandomLists randomHistoryComposes updateMakesFewGroups mergeIsNeverLonger everyChangedByteIsRefused \
  ranksSufficeForManyInsertions aBlockHasAtMostFourMegabytes noBytesMakeAReaderOfBlocksFail memoryStoreKeepsEveryLaw \
  readingAndVerifyingReportAModifiedValue commitNeverRunsAWALCheckpoint sqliteStoreKeepsEveryLaw
$(QUICK)/%:
	@mkdir -p $(QUICK) && ln -s ../$* $@

quick: export LISTSYNC_CORE = 1
quick: export LISTSYNC_SHARED ?= $(abspath ../shared)
quick: setup $(addprefix $(QUICK)/,Package.swift Sources Tests Migrations)
	$(SWIFT) build --build-tests $(QUICK_BUILD)
	@GOAL=$@ SEED=$(or $(SEED),1) WIDTH=8 LIMIT=TEST_SECONDS .ci/test $(SWIFT) test --skip-build $(QUICK_BUILD) \
	  $(if $(ONLY),--filter '$(ONLY)',$(addprefix --skip ,$(LONG_TESTS)))

# The clients in other languages, and their packages, after make test or swift build: make test-clients CLIENTS="python wheel".
# The seed is fixed as for make test.
test-clients:
	@GOAL=$@ SEED=$(or $(SEED),1) WIDTH=8 LIMIT=TEST_SECONDS .ci/test .ci/clients $(CLIENTS)

# The clients as packages for pip and npm, in .build/packages. Needs no internet.
packages:
	@.ci/packages

# The package for Python with the program inside, .build/packages/listsync-VERSION-py3-none-manylinux_….whl, for Linux. Loads
# auditwheel from PyPI.
wheel: setup
	@.ci/wheel $(SWIFT) build -c release $(STATIC) $(LINK_listsync) --product listsync

# The wheel in a bare Debian 12, and in Debian 11, which is too old for it. As root, on Debian; loads packages.
wheel-test: wheel
	@.ci/wheel-test

# The tests that need a PostgreSQL server, which make test skips where there is none: installs Debian's package, and
# starts servers of their own in folders of their own.
test-postgres: tests
	@bash .ci/setup postgresql
	@GOAL=$@ SEED=$(or $(SEED),1) WIDTH=8 LIMIT=TEST_SECONDS LISTSYNC_TEST_POSTGRES=required .ci/test $(TESTS) \
	  --filter '$(or $(ONLY),PostgresStoreTests|(Model|Concurrency|Merging|CatchUpPruning|Divergence)Campaign)'

# The same tests on stores that are distributed over a cluster of three servers, and tests of the cluster itself. They need
# the extension Citus, which Debian does not have: see Documentation/Scale.md.
test-citus: tests
	@bash .ci/setup postgresql
	@[ -n "$(wildcard /usr/share/postgresql/*/extension/citus.control)" ] \
	  || { echo "test-citus: SKIPPED: PostgreSQL does not have the extension Citus on this machine"; exit 0; }; \
	GOAL=$@ SEED=$(or $(SEED),1) WIDTH=4 LIMIT=TEST_SECONDS LISTSYNC_TEST_POSTGRES=required LISTSYNC_TEST_CITUS=1 .ci/test $(TESTS) \
	  --filter '$(or $(ONLY),PostgresStoreTests|(Model|Concurrency|Merging|CatchUpPruning|Divergence)Campaign)'

# The long form of every campaign, and all versions of the real lists, with a fresh seed (see Tests/README.md):
# make torture SEED=7, or ONLY=Kill for some.
torture: tests
	@rm -f $(TORTURE_REPORT)
	@GOAL=$@ SEED=$(or $(SEED),random) WIDTH=2 LIMIT=TORTURE_SECONDS \
	  LISTSYNC_TORTURE=1 LISTSYNC_TORTURE_REPORT=$(TORTURE_REPORT) \
	  .ci/test $(TESTS) --filter '$(ONLY).*(Campaign|RealListTests)'
	@cat $(TORTURE_REPORT)

# libFuzzer with the address sanitizer on every reader and decoder: make fuzz SECONDS=600 TARGETS="csv part"
fuzz: setup
	Tests/Fuzzing/fuzz $(SECONDS) $(TARGETS)

# The built programs judged by tools that nobody here wrote: curl, an OpenAPI fuzzer, a browser, Prometheus's
# parser, and on the store's file Litestream, sqlite3, sqlite-utils and Datasette. Installs them, so it needs the
# internet: make interop ONLY=curl for one, CASES=500 to fuzz longer.
interop: setup
	$(SWIFT) build $(DEBUG_BUILD) --product listsync
	$(SWIFT) build $(DEBUG_BUILD) --product listsyncd
	@Tests/Interop/run $(ONLY)

# The server's page in Debian's chromium, with screenshots in .build/screenshots. Installs chromium, Playwright and
# axe where they are missing, so it may need the internet.
test-web: setup
	$(SWIFT) build $(DEBUG_BUILD) --product listsync
	$(SWIFT) build $(DEBUG_BUILD) --product listsyncd
	@Tests/Interop/run page

build: build-listsync

# Programs, manual pages, completions and a systemd unit: make install PREFIX=$HOME/.local
PREFIX ?= /usr/local
DESTDIR ?=
install: manual
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" .ci/install

uninstall:
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" .ci/install --remove

# A manual page for each verb, written by ArgumentParser from the texts of --help.
manual: build build-listsyncd
	@.ci/manual "$(SWIFT)"

# A static site of all pages and DocC catalogues in .build/documentation. A warning of DocC is an error.
documentation: setup
	@.ci/documentation $(SWIFT) $(DEBUG_BUILD)

# What make install installs, as a tarball for /usr/local: tar -C /usr/local -xzf .build/listsync-….tar.gz
# It has files alone: with folders, it would change the owners and modes of those of /usr/local, and replace links to folders.
TARBALL = .build/listsync-$(shell uname -s)-$(shell uname -m).tar.gz
dist: manual
	@rm -rf .build/dist
	@PREFIX=/usr/local DESTDIR=.build/dist .ci/install
	@cd .build/dist/usr/local && find . -type f | LC_ALL=C sort | tar --owner=0 --group=0 -czf $(CURDIR)/$(TARBALL) -T -
	@ls -l $(TARBALL)

# The tarball in a bare Debian 12. As root, on Debian; loads packages.
dist-test: dist
	@.ci/dist-test $(TARBALL)

# A package for Debian 12 and newer, .build/listsync_VERSION_ARCHITECTURE.deb: make deb VERSION=0.1.0-1 for another version.
deb: manual
	@.ci/deb $(VERSION)

# The package in a bare Debian 12: installed, upgraded, removed, purged. As root, on Debian; loads packages.
deb-test: deb
	@.ci/deb-test "$$(ls -t .build/listsync_*.deb | head -n 1)"

# Foundation brings ICU's data, 30 MB, for calendars and languages, which listsync does not use. A symbol of this name keeps
# the data out of the program; ICU then finds none, and says so. (76 is the version of ICU in Swift 6.3; .ci/wheel fails if
# the program is too large.)
LINK_listsync := $(if $(filter Linux,$(shell uname)),-Xlinker --defsym=icudt76_dat=__ehdr_start)
build-%: setup
	$(SWIFT) build -c release $(STATIC) $(LINK_$*) --product $*

# The formatter does not count the columns of comments and of long texts.
SWIFT_FILES = Package.swift Clients Migrations Sources Tests Benchmarks
lint:
	$(SWIFT) format lint --strict -r $(SWIFT_FILES)
	@! LC_ALL=C.UTF-8 grep -rnE --include='*.swift' '.{101,}' $(SWIFT_FILES)

# What other packages pay for each trait of this one; .ci/traits --build also builds a program for each.
traits: setup
	@SWIFT="$(SWIFT)" .ci/traits

# The libraries for Apple's systems, as far as Linux can check them (see Tests/Apple/README.md). ONLY=iOS for one system.
apple:
	@Tests/Apple/check $(ONLY)

# Every suite under the address and the thread sanitizer, but the real lists, which take too long so.
# (GRDB and Swift's libraries keep what they made until the process ends: leaks are not looked for.)
sanitize: sanitize-address sanitize-thread

sanitize-%: SANITIZER = --sanitize=$* --scratch-path .build-$*
sanitize-%: setup
	$(SWIFT) build --build-tests $(SANITIZER)
	@GOAL=$@ SEED=$(or $(SEED),random) WIDTH=4 LIMIT=TORTURE_SECONDS \
	  LISTSYNC_SANITIZED=1 ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no \
	  TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.txt \
	  .ci/test $(SWIFT) test --skip-build $(SANITIZER) --skip RealList $(if $(ONLY),--filter '$(ONLY)')

# Instructions of small works, which do not depend on other load, against Benchmarks/Instructions/counts.json: UPDATE=1
# writes new counts. Needs valgrind.
instructions: build-listsync
	@bash .ci/setup valgrind
	@Benchmarks/Instructions/count.py $(RELEASE) $(if $(UPDATE),--update)

benchmark: benchmark-changes benchmark-store

benchmark-changes: setup
	$(SWIFT) build -c release $(STATIC) --product ChangeBenchmarks
	.build/release/ChangeBenchmarks

# All rows at full size take long: make benchmark-store ROWS="--rows 1,2 --scale 0.1". With ENGINE=postgresql a server
# of its own, with the floors on the same server: make benchmark-store ENGINE=postgresql ITEMS=100000
ifeq ($(ENGINE),postgresql)
benchmark-store: build-listsync build-listsyncd
	@bash .ci/setup postgresql
	$(SWIFT) build -c release $(STATIC) --product StoreBenchmarks
	@LISTSYNC_BUILD=.build/release Benchmarks/Server/Load/run postgresql
else
benchmark-store: build-listsync
	$(SWIFT) build -c release $(STATIC) --product StoreBenchmarks
	.build/release/StoreBenchmarks --listsync $(RELEASE) $(ROWS)
endif

# Seconds of whole processes over sizes, as plots for Documentation/Performance.md. It takes about ten minutes.
benchmark-sizes: build-listsync
	python3 Benchmarks/Sizes/measure.py --listsync $(RELEASE) > .build/sizes.json
	python3 Benchmarks/Sizes/plot.py .build/sizes.json Documentation/Images
	python3 Benchmarks/Sizes/plot.py .build/sizes.json --markdown

# The bytes of stores as users get them: after an import, after commits and after PUTs, beside git's pack. With the numbers
# for a plot in .build/growth. LISTS="movies ranking" for some.
benchmark-bytes: build-listsync build-listsyncd
	python3 Benchmarks/Bytes/measure.py $(dir $(RELEASE)) --growth .build/growth $(LISTS)

# Requests and bytes of clients that follow a publication, beside apt's pdiffs, which need the Debian package reprepro:
# make benchmark-publications LISTS="a.db:parks b.db:films"
benchmark-publications: build-listsync
	python3 Benchmarks/Publications/measure.py --listsync $(RELEASE) $(LISTS)

# The server under load, against a handler that answers from memory, and against Kinto. LOAD=events for one.
benchmark-server: build-listsync
	$(SWIFT) build -c release $(STATIC) --product listsyncd
	$(SWIFT) build -c release $(STATIC) --product ServerBenchmarks
	@LISTSYNC_BUILD=.build/release Benchmarks/Server/Load/run $(LOAD)

setup:
	@bash .ci/setup

clean:
	rm -rf .build $(QUICK)
