# Every target is a command of dev.py, which makes the environment first.
ARGS =

.PHONY: serve test bench check keys worker simulate tournament openapi clients run new-game sessions soak fuzz sanitize mutate lock help
.DEFAULT_GOAL := help

serve: ## run the whole service on PORT (default 8000) until Ctrl-C
	@python3 dev.py serve

test: ## run the tests, compiled where there is a C compiler; ARGS="--all" runs the thorough ones too
	@python3 dev.py test $(ARGS)

bench: ## measure against peers, side by side in one run
	@python3 dev.py bench $(ARGS)

check: ## style, types, imports, shifts and the rule trace
	@python3 dev.py check

keys: ## add, list and revoke API keys; ARGS="add phone --scope play"
	@python3 dev.py keys $(ARGS)

worker: ## run one more worker of a queue; ARGS="play"
	@python3 dev.py worker $(ARGS)

simulate: ## play games between bots; ARGS="--game hoher-rat --seats tuned,random"
	@python3 dev.py simulate $(ARGS)

tournament: ## let bots all meet each other; ARGS="--help" tells more
	@python3 dev.py tournament $(ARGS)

openapi: ## write the contract to openapi/openapi.yaml
	@python3 dev.py openapi $(ARGS)

clients: ## write what the packages in clients/ have of the contract
	@python3 dev.py clients $(ARGS)

run: ## run a module of the project; ARGS="tests.conformance.perft --write"
	@python3 dev.py run $(ARGS)

new-game: ## write a package with a game of your own; ARGS="sheep-dog ../sheep-dog"
	@python3 dev.py new-game $(ARGS)

soak: ## play and break things for a long time; ARGS="--minutes 60"
	@python3 dev.py soak $(ARGS)

fuzz: ## send nearly right requests with valid credentials; ARGS="--requests 100000"
	@python3 dev.py fuzz $(ARGS)

sanitize: ## play with the kernel compiled with sanitizers; ARGS="--games 10000"
	@python3 dev.py sanitize $(ARGS)

mutate: ## change the code in single places and see whether a test fails; ARGS="sessions --sample 200"
	@python3 dev.py mutate $(ARGS)

lock: ## write the lock files anew; ARGS="--upgrade" takes the newest of everything
	@python3 dev.py lock $(ARGS)

help: ## list these
	@sed -n 's/^\([a-z]*\): ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

sessions: ## list, repair or end sessions that cannot be read; ARGS="show"
	@python3 dev.py sessions $(ARGS)
