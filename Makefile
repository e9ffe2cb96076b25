# Two commands for newcomers: make demo, make test. Both do their own set-up on a fresh machine.

SWIFT ?= swift
TEST_SECONDS ?= 2400
TORTURE_SECONDS ?= 14400
TORTURE_REPORT = .build/torture.txt
SEED ?= 1
SECONDS ?= 60
RELEASE = .build/release/listsync
# On Linux the binary carries Swift's libraries, so that it runs where Swift is not installed.
STATIC := $(if $(filter Linux,$(shell uname)),--static-swift-stdlib -Xlinker -s)

.PHONY: demo test torture fuzz build lint traits sanitize interop benchmark benchmark-changes benchmark-store \
	benchmark-server setup clean

demo: build-listsync
	@LISTSYNC=$(RELEASE) bash Examples/demo.sh

# Eight tests at a time: all at once they hold more than a thousand files open, and Foundation's Process
# has crashed with so many.
# The seed of random tests is fixed, so that what passes once passes always: make test SEED=7 for another one,
# SEED=random for a fresh one each time.
test: setup
	$(if $(filter random,$(SEED)),,LISTSYNC_SEED=$(SEED)) SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 timeout $(TEST_SECONDS) $(SWIFT) test

# The long form of every campaign, as Tests/README.md tells: make torture SEED=7, or ONLY=Kill for some.
torture: setup
	@rm -f $(TORTURE_REPORT)
	LISTSYNC_TORTURE=1 LISTSYNC_SEED=$(SEED) LISTSYNC_TORTURE_REPORT=$(TORTURE_REPORT) \
	  SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=2 timeout $(TORTURE_SECONDS) \
	  $(SWIFT) test --filter '$(ONLY).*Campaign'
	@cat $(TORTURE_REPORT)

# libFuzzer with the address sanitizer on every reader and decoder: make fuzz SECONDS=600 TARGETS="csv part"
fuzz: setup
	$(SWIFT) build
	Tests/Fuzzing/fuzz $(SECONDS) $(TARGETS)

# The built programs judged by tools that nobody here wrote: curl, an OpenAPI fuzzer, a browser, Prometheus's
# parser, and on the store's file Litestream, sqlite3, sqlite-utils and Datasette. Installs them, so it needs the
# internet: make interop ONLY=curl for one, CASES=500 to fuzz longer.
interop: setup
	$(SWIFT) build --product listsync
	$(SWIFT) build --product listsyncd
	@Tests/Interop/run $(ONLY)

build: build-listsync build-listsync-pull

build-%: setup
	$(SWIFT) build -c release $(STATIC) --product $*

lint:
	$(SWIFT) format lint --strict -r Package.swift Migrations Sources Tests Benchmarks

# What other packages pay for each trait of this one; .ci/traits --build also builds a program for each.
traits: setup
	@SWIFT="$(SWIFT)" .ci/traits

# Every suite under the address and the thread sanitizer, but the real lists, which take too long so.
# (GRDB and Swift's libraries keep what they made until the process ends: leaks are not looked for.)
sanitize: sanitize-address sanitize-thread

sanitize-%: setup
	LISTSYNC_SANITIZED=1 ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no \
	  SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 timeout $(TORTURE_SECONDS) \
	  $(SWIFT) test --sanitize=$* --scratch-path .build-$* --skip RealList

benchmark: benchmark-changes benchmark-store

benchmark-changes: setup
	$(SWIFT) build -c release $(STATIC) --product ChangeBenchmarks
	.build/release/ChangeBenchmarks

# All rows at full size take long: make benchmark-store ROWS="--rows 1,2 --scale 0.1"
benchmark-store: build-listsync
	$(SWIFT) build -c release $(STATIC) --product StoreBenchmarks
	.build/release/StoreBenchmarks --listsync $(RELEASE) $(ROWS)

# The server under load, against a handler that answers from memory, and against Kinto. LOAD=events for one.
benchmark-server: build-listsync
	$(SWIFT) build -c release $(STATIC) --product listsyncd
	$(SWIFT) build -c release $(STATIC) --product ServerBenchmarks
	@LISTSYNC_BUILD=.build/release Benchmarks/Server/Load/run $(LOAD)

setup:
	@bash .ci/setup

clean:
	rm -rf .build
