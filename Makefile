# The two main commands are `make demo` and `make test`. Both set up .venv first if it is not set up yet.

supported := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for each in python3 python3.13 python3.12 python3.11; do \
	$$each -c '$(supported)' 2>/dev/null && { echo $$each; break; }; done)
VENV ?= .venv
IMAGE ?= paranmt
IMAGE_BUILDER ?= $(shell command -v docker || command -v podman || command -v buildah)

bin := $(VENV)/bin
pip := $(bin)/python -m pip --disable-pip-version-check
pytest := $(bin)/pytest
# Whole files go to one process, because some of them share a finished run.
# One process more than there are processors, because some tests wait.
PYTEST_ARGS ?= -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: demo test quick test-engines check install dist image clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed/demo
	$(bin)/paranmt demo

# Trains the translation model that comes with the demo again: about ten minutes on two idle cores.
.PHONY: demo-model
demo-model: install
	rm -rf pipeline/demo/model
	$(bin)/python -m paranmt.pipeline.demo.training pipeline/demo/model

test: check
	$(pytest) $(PYTEST_ARGS)
	$(MAKE) test-portable PROCESSORS=avx2 COMPUTING="$(SOME_COMPUTING)"

# Runs the tests of what computes with the code that libraries have for processors without AVX-512, and for those
# without AVX2 (on x86-64 only). `make test` runs a few of them so.
COMPUTING = $(shell grep -lE '^(from|import) (paranmt\.(filters|models)|torch)' -r tests --include='test_*.py')
PROCESSORS := avx2 basic
SOME_COMPUTING := tests/models/translation/test_torch_capture.py tests/models/encoders/test_recurrent_encoders.py \
	$(addprefix tests/models/training/,test_loss.py test_row_adam.py test_negatives.py)
.PHONY: test-portable
test-portable: install
	for processor in $(PROCESSORS); do \
		$(bin)/python tests/processors.py $$processor \
			$(pytest) $(PYTEST_ARGS) -m "not slow and not wheel and not engines" $(COMPUTING) || exit; \
	done

# Runs the tests except those marked slow and those that run on the built wheel.
quick: install
	$(pytest) -m "not slow and not wheel and not engines"

# Starts real Flink, Spark and Dask clusters here and kills workers, hosts and drivers during runs: a quarter of an
# hour. Fetches the engines into .build/engines first (1 GB; needs Java 17, Maven, Go). Several hosts need root.
test-engines: install
	$(bin)/python tests/engines/fetch.py .build/engines
	$(pytest) -m engines

# Runs many more of the random trials in tests/trials and prints a table of the results: about an hour.
.PHONY: trials
trials: install
	TRIALS_COUNT=$${TRIALS_COUNT:-20} $(pytest) tests/trials

# Makes the pictures of README and the documentation again, from a run on the texts in DATA (docs/pictures.py says which).
.PHONY: pictures
pictures: install
	$(bin)/python docs/pictures.py $(DATA) --work .build/pictures

check: install .build/types/paranmt
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/mypy

# Writes the documentation as a site into .build/site. It needs no network.
.PHONY: docs
docs: install
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build
	@echo $(CURDIR)/.build/site/index.html

# Writes the list of tables and the stored results into docs/experiments.md.
.PHONY: experiments
experiments: install
	$(bin)/python docs/experiments.py

# Trains a static encoder on public data laid out as recipes/static.yaml names it, and leaves it in OUT/encoder, with
# a card, as sentence-transformers loads it. A recipe that is in OUT already, perhaps with changes, is kept.
.PHONY: static
static: $(VENV)/.installed/demo
	@test -d "$(DATA)" && test -n "$(OUT)" || { echo "error: make static DATA=FOLDER OUT=FOLDER" >&2; exit 2; }
	mkdir -p $(OUT)
	test -e $(OUT)/data || ln -s $(abspath $(DATA)) $(OUT)/data
	test -e $(OUT)/static.yaml || cp recipes/static.yaml $(OUT)
	$(bin)/paranmt run $(OUT)/static.yaml
	test -e $(OUT)/encoder || \
		$(bin)/paranmt export $(OUT)/work/train/static $(OUT)/encoder --run $(OUT)/work --precision float16

# Builds the source archive into dist, and the wheel from it.
dist: install
	rm -rf build dist paranmt.egg-info
	$(bin)/python -c 'from setuptools.build_meta import build_sdist; build_sdist("dist")' > /dev/null
	$(pip) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist dist/paranmt-*.tar.gz
	@ls dist/*

image:
	$(IMAGE_BUILDER) build --tag $(IMAGE) .

# Builds the image, starts its worker pool, and runs stages in it: about half an hour and 30 GB of disk.
.PHONY: test-image
test-image: install
	PARANMT_TEST_IMAGE=build $(pytest) tests/project/test_image.py

clean:
	rm -rf build dist .build .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info

# Each stamp file marks one step of the installation, and all steps before it, as done.
stamps := $(VENV)/.installed
install: $(stamps)/all

$(stamps)/venv:
	@test -n "$(PYTHON)" && $(PYTHON) -c '$(supported)' 2>/dev/null || { echo \
	"error: paranmt needs Python 3.11, 3.12 or 3.13 (3.14 was not tested yet) with its headers, venv" \
	"and a C++ compiler; on Debian and Ubuntu:" \
	"apt-get install python3-venv python3-dev g++; or name a Python: make PYTHON=python3.12 (here is:" \
	"$$($(or $(PYTHON),python3) --version 2>/dev/null || echo no Python))" >&2; exit 2; }
	@$(PYTHON) install.py --check
	$(PYTHON) -m venv $(VENV)
	@$(pip) install --quiet --upgrade pip
	@mkdir -p $(stamps) && touch $@

# What the demo and `make static` need: the package and KenLM, but no fairseq.
$(stamps)/demo: pyproject.toml constraints.txt install.py $(stamps)/venv
	$(bin)/python install.py --editable .
	@touch $@

# What trains translation models and what the tests need, too.
$(stamps)/all: $(stamps)/demo
	$(bin)/python install.py --editable '.[fairseq,dask,dev,docs]'
	@touch $@

# mypy finds the package through this link, so the checkout's folder can have any name.
.build/types/paranmt:
	mkdir -p .build/types
	ln -sfn ../.. $@
