# Two commands for newcomers: make demo, make test. Both do their own set-up on a fresh machine.

SWIFT ?= swift
TEST_SECONDS ?= 2400
RELEASE = .build/release/listsync

.PHONY: demo test build lint setup clean

demo: build
	@LISTSYNC=$(RELEASE) bash Examples/demo.sh

test: setup
	timeout $(TEST_SECONDS) $(SWIFT) test

build: setup
	$(SWIFT) build -c release --product listsync

lint:
	$(SWIFT) format lint --strict -r Package.swift Migrations Sources Tests

setup:
	@bash .ci/setup

clean:
	rm -rf .build
