# The two main commands are `make demo` and `make test`. Both set up .venv first if it is not set up yet.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
IMAGE ?= paranmt
IMAGE_BUILDER ?= $(shell command -v docker || command -v podman || command -v buildah)

bin := $(VENV)/bin
pip := $(bin)/python -m pip --disable-pip-version-check
pytest := $(bin)/pytest
# Whole files go to one process, because some of them share a finished run.
PYTEST_ARGS ?= -n logical --maxprocesses 4 --dist loadfile

.PHONY: demo test quick test-engines check install wheel image clean
.DEFAULT_GOAL := demo

demo: install
	$(bin)/paranmt demo

test: check
	$(pytest) $(PYTEST_ARGS)
	$(MAKE) test-portable PROCESSORS=avx2 COMPUTING="$(SOME_COMPUTING)"

# Runs the tests of what computes with the code that libraries have for processors without AVX-512, and for those
# without AVX2 (on x86-64 only). `make test` runs a few of them so.
COMPUTING = $(shell grep -lE '^(from|import) (paranmt\.(filters|models)|torch)' tests/test_*.py)
PROCESSORS := avx2 basic
SOME_COMPUTING := tests/test_torch_capture.py tests/test_recurrent_encoders.py tests/test_loss.py tests/test_row_adam.py \
	tests/test_negatives.py
.PHONY: test-portable
test-portable: install
	for processor in $(PROCESSORS); do \
		$(bin)/python tests/processors.py $$processor \
			$(pytest) $(PYTEST_ARGS) -m "not slow and not wheel and not engines" $(COMPUTING) || exit; \
	done

# Runs the tests except those marked slow and those that run on the built wheel.
quick: install
	$(pytest) -m "not slow and not wheel"

# Starts real Flink, Spark and Dask clusters here and kills workers, hosts and drivers during runs: a quarter of an
# hour. Fetches the engines into .build/engines first (1 GB; needs Java 17, Maven, Go). Several hosts need root.
test-engines: install
	$(bin)/python tests/engines/fetch.py .build/engines
	$(pytest) -m engines

# Runs many more of the random trials in tests/trials and prints a table of the results: about an hour.
.PHONY: trials
trials: install
	TRIALS_COUNT=$${TRIALS_COUNT:-20} $(pytest) tests/trials

check: install .build/types/paranmt
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/mypy

wheel: install
	rm -rf build
	$(pip) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

image:
	$(IMAGE_BUILDER) build --tag $(IMAGE) .

# Builds the image, starts its worker pool, and runs stages in it: about 15 minutes and 30 GB of disk.
.PHONY: test-image
test-image: install
	PARANMT_TEST_IMAGE=build $(pytest) tests/test_image.py

clean:
	rm -rf build dist .build .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info

# Each stamp file marks one step of the installation, and all steps before it, as done.
stamps := $(VENV)/.installed
install: $(stamps)/tools

$(stamps)/venv:
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("paranmt needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(pip) install --quiet --upgrade pip
	@mkdir -p $(stamps) && touch $@

$(stamps)/requirements: pyproject.toml constraints.txt $(stamps)/venv
	$(pip) install --quiet --constraint constraints.txt --editable '.[fairseq,dask,dev]'
	@touch $@

# fairseq is installed without its dependencies, because its metadata asks for versions that conflict with
# everything else.
$(stamps)/fairseq: $(stamps)/requirements
	$(pip) install --quiet --constraint constraints.txt --no-deps fairseq
	@touch $@

# Builds KenLM's lmplz and build_binary, which the package on PyPI leaves out.
$(stamps)/tools: launch/kenlm_tools.py $(stamps)/fairseq
	$(bin)/python launch/kenlm_tools.py
	@touch $@

# mypy finds the package through this link, so the checkout's folder can have any name.
.build/types/paranmt:
	mkdir -p .build/types
	ln -sfn ../.. $@
