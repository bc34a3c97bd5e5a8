# Everything that can be done with a clone of this project. `make` alone lists it.

SWIFT ?= swift
PREFIX ?= /usr/local
CONFIGURATION ?= release
MINUTES ?= 2
SOURCES := Sources Tests Package.swift
# One debug build has both traits: all tests use it.
TRAITS := --traits Live,Archive

.DEFAULT_GOAL := help
.PHONY: help deps test-deps demo test test-threads test-memory test-plugin test-clients test-browser test-live test-archive torture torture-archive torture-mutants mutation mutation-samples mutation-page fuzz fixtures bench build format lint layers install clean

help: ## List the targets.
	@echo "Hindsight: a time-travel debugger and action recorder for Swift apps."
	@echo
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1~\2/p' $(MAKEFILE_LIST) | awk -F"~" '{ printf "%-22s %s\n", $$1, $$2 }'

deps: ## Install SQLite's headers if they are missing.
	@.make/deps sqlite3

# The libraries of the package traits, and PostgreSQL's server are needed by tests only.
test-deps:
	@.make/deps sqlite3 microhttpd libpq

# On Linux the tool brings Swift's libraries along: it then runs where no toolchain is, and starts in half the time. All
# that is built for release is linked so, since another way of linking builds everything again.
STATIC := $(if $(filter Linux,$(shell uname -s)),$(if $(filter release,$(CONFIGURATION)),--static-swift-stdlib))
export STATIC TRAITS

build: deps ## Build the tool (CONFIGURATION=release|debug).
	@$(SWIFT) build --configuration $(CONFIGURATION) $(STATIC) --product hindsight

demo: deps ## Record, inspect, diff, jump into, replay and verify real sessions.
	@.make/demo

test: test-deps ## Build everything and run all tests.
	@$(SWIFT) build $(TRAITS) --build-tests
	@$(SWIFT) test $(TRAITS) --skip-build
	@# What a platform that keeps no reflection of fields does.
	@HINDSIGHT_REFLECTION=off $(SWIFT) test $(TRAITS) --skip-build \
		--filter 'HindsightTreeTests|NothingMissedTests|ImpureEncodingTests|InstanceTests'

fixtures: deps ## Record the fixtures anew, after the format has changed.
	@.make/fixtures

test-threads: deps ## Run tests of the store and the recorder with the thread sanitizer.
	@.make/sanitized thread

test-memory: deps ## Run tests of all libraries with the address sanitizer.
	@.make/sanitized address

test-plugin: test-deps ## Create a package in an empty folder, and use the SwiftPM plugin in it (builds everything again).
	@$(SWIFT) build $(TRAITS) --build-tests
	@HINDSIGHT_PLUGIN=$(CURDIR)/build/plugin $(SWIFT) test $(TRAITS) --skip-build --filter PluginTests

test-clients: deps ## Drive the debugger's servers with other people's clients from PyPI (needs Python and a network).
	@.make/clients

test-browser: deps ## Test the page of a recording in Chromium, without a network (BROWSER="test_views test_speed"; brings Chromium by apt).
	@.make/browser $(BROWSER)

test-live: test-deps ## Test `view --live` (package trait Live; brings libmicrohttpd by apt).
	@.make/live

test-archive: test-deps ## Test `archive` against a PostgreSQL server of its own (ARCHIVE="test_push"; trait Archive; brings PostgreSQL by apt).
	@.make/archive $(ARCHIVE)

torture-archive: test-deps ## Kill pushes, workers and servers at random, and measure an archive, in a release build (HINDSIGHT_SEED=…).
	@HINDSIGHT_TORTURE=1 .make/archive $(ARCHIVE)

torture: test-deps ## Kill recorders, fill their disks and ask for changes at random (MINUTES=2 for each test, HINDSIGHT_SEED=…), then torture-mutants.
	@$(SWIFT) build $(TRAITS) --build-tests
	@HINDSIGHT_TORTURE=$(MINUTES) $(SWIFT) test $(TRAITS) --skip-build --filter FaultTests --filter BesideRecoveryTests --filter HindsightQueryTests --filter RandomCommandTests
	@.make/mutants

mutation: deps ## Run mutation tests of all modules but the samples (MUTATION="--sample 50").
	@.make/mutation

mutation-samples: deps ## Break the samples' reducers, and expect verify to say where on Fixtures (MUTATION="--sample 20").
	@python3 Tests/Mutation/samples.py $(MUTATION)

mutation-page: deps ## Plant faults in the page's scripts, and expect test-browser to notice each (MUTATION="--only filter").
	@.make/browser --mutation $(MUTATION)

fuzz: deps ## Fuzz the parsers of untrusted bytes (FUZZ_SECONDS=60 for each target).
	@.make/fuzz

torture-mutants: test-deps ## Read MUTANTS=100000 damaged and hostile recordings.
	@.make/mutants

bench: deps ## Run the benchmarks.
	@$(SWIFT) build --configuration release $(STATIC) --product hindsight
	@$(SWIFT) run --configuration release $(STATIC) Benchmarks

format: ## Format the sources in place.
	@$(SWIFT) format --in-place --recursive $(SOURCES)

lint: layers ## Check the formatting, and the layers of modules and folders.
	@$(SWIFT) format lint --strict --recursive $(SOURCES)
	@echo "The format is clean."

layers:
	@.ci/layers

install: build ## Install the tool, its manual page and completions below PREFIX (PREFIX=/usr/local).
	@.make/install "$$($(SWIFT) build --configuration $(CONFIGURATION) $(STATIC) --show-bin-path)/hindsight" "$(DESTDIR)$(PREFIX)"

clean: ## Remove everything that was built.
	@rm -rf .build build
