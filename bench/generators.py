"""The generators of clients: their commands, and how their code is compiled, tested with messages, and played.

The rest of each program, a small file in its language, is in `tests/clients`. The libraries of its language are
installed as locked, by pip or npm, or come with Debian's package.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import yaml

from bench.environment import Missing, provide, provide_node
from bench.recording import DOCUMENT, ROOT, Contract, Message
from bench.sources import dart_faults, swift_faults
from service.contract.openapi_3_0 import older

PROGRAMS: Final = ROOT / "tests" / "clients"
JAVA: Final = ("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
PATIENCE_SECONDS: Final = 900
PARTS: Final = "models,apis,supportingFiles,modelDocs=false,modelTests=false,apiDocs=false,apiTests=false"


class Broken(Exception):
    """A failed step with its output."""


@dataclass(frozen=True)
class Tools:
    """The tools of the steps, each installed on first use."""

    build: Path = ROOT / "build" / "clients"

    @cached_property
    def jar(self) -> Path:
        """Return openapi-generator's jar, which brings Jackson along."""
        needed("java", "default-jdk-headless")
        return packages("openapi-generator") / "openapi_generator_cli" / "openapi-generator.jar"

    @cached_property
    def node(self) -> Path:
        """Return the folder of the programs of Node.js."""
        needed("npm", "npm")
        return provide_node("clients", self.folder) / "node_modules"

    @cached_property
    def kotlin(self) -> tuple[Path, list[Path]]:
        """Return the folder of Kotlin's compiler, and the jars that its classes run with."""
        needed("npm", "npm")
        library = provide_node("kotlin", self.folder) / "node_modules" / "kotlin-compiler" / "lib"
        kept = packages("kotlinx") / "run_kotlin_kernel" / "jars"
        return library, [library / "kotlin-stdlib.jar", *sorted(kept.glob("kotlinx-serialization-*.jar"))]

    @cached_property
    def go(self) -> Path:
        """Return Go's program."""
        return packages("go") / "go" / "bin" / "go"

    @cached_property
    def folder(self) -> Path:
        """Return a folder for the packages of npm."""
        self.build.mkdir(parents=True, exist_ok=True)
        return self.build


def packages(lock: str) -> Path:
    """Install the packages of a lock and return where they lie."""
    python = provide(lock)
    return next((python.parent.parent / "lib").glob("python*/site-packages"))


def needed(program: str, package: str) -> str:
    """Return a program's path; raise Missing with the name of Debian's package of it."""
    if (found := shutil.which(program)) is None:
        raise Missing(f"no {program} here; Debian has it in {package}")
    return found


def run(command: Sequence[str | Path], folder: Path, said: str = "", **environment: str) -> str:
    """Run a program in a folder and return its output; raise Broken with its first complaint."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder, input=said, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
        env={**os.environ, **environment},
    )  # fmt: skip
    if done.returncode == 0:
        return done.stdout
    lines = [line.strip() for line in f"{done.stderr}\n{done.stdout}".splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower() or "exception" in line.lower()]
    raise Broken((wrong or lines or [f"{command[0]} ended with {done.returncode}"])[0])


@dataclass
class Client:
    """A generated client in a folder of its own; a step raises Broken if it fails, Missing if it cannot be tried."""

    tools: Tools
    folder: Path
    document: Path = DOCUMENT

    name = ""
    options = ""
    played_by = ""
    """The program that sends the messages to the service if the generated code does not."""

    def generate(self) -> None:
        """Turn the document into source."""
        raise NotImplementedError

    def compile(self) -> None:
        """Compile the source and the programs that try it."""
        raise NotImplementedError

    def echo(self, messages: list[Message]) -> list[Any]:
        """Return messages as they were read and written again, or a text that begins with `!` for a refused one."""
        raise NotImplementedError

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play a whole session and return its status and the number of its moves."""
        raise NotImplementedError


def lines_of(messages: list[Message]) -> str:
    """Return messages as lines, the name of the component and a tab before each."""
    return "".join(f"{schema}\t{json.dumps(body)}\n" for schema, body in messages)


def read_lines(text: str) -> list[Any]:
    """Return the output of a program, one message a line."""
    return [line if line.startswith("!") else json.loads(line) for line in text.splitlines()]


class OfJar(Client):
    """A client that openapi-generator's jar makes."""

    language = ""
    more: tuple[str, ...] = ()

    def generate(self) -> None:
        """Turn the document into source."""
        command = (*JAVA, "-jar", self.tools.jar, "generate", "-i", self.document, "-g", self.language, "-o", "made")
        run((*command, "--global-property", PARTS, *self.options_given()), self.folder)

    def options_given(self) -> tuple[str, ...]:
        """Return the options, in the words of the command line."""
        chosen = ("--additional-properties", self.options.replace(" ", "")) if self.options else ()
        return (*chosen, *self.more)


class OlderOfJar(OfJar):
    """A client made from the document as OpenAPI 3.0: of `webhooks` the jar makes no parameters with types."""

    def generate(self) -> None:
        """Turn the document into source."""
        spec = yaml.load(self.document.read_bytes(), yaml.CSafeLoader)
        self.document = self.folder / "openapi-3.0.json"
        self.document.write_text(json.dumps(older(spec)), "utf-8")
        super().generate()


class Python(OlderOfJar):
    """Python with pydantic and urllib3."""

    name = "openapi-generator: python"
    language = "python"

    def compile(self) -> None:
        """Compile every module; both programs import all of them."""
        run((sys.executable, "-m", "compileall", "-q", "made/openapi_client"), self.folder)

    def echo(self, messages: list[Message]) -> list[Any]:
        """Read and write."""
        program = PROGRAMS / "openapi_python" / "echo.py"
        return read_lines(run((sys.executable, program), self.folder, lines_of(messages), **self.path()))

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play by the generated API."""
        program = PROGRAMS / "openapi_python" / "play.py"
        return finished_report(run((sys.executable, program, address, seed), self.folder, **self.path()))

    def path(self) -> dict[str, str]:
        """Return the environment in which Python finds the package."""
        return {"PYTHONPATH": str(self.folder / "made")}


class TypescriptFetch(OlderOfJar):
    """TypeScript with an API of classes on `fetch`."""

    name = "openapi-generator: typescript-fetch"
    language = "typescript-fetch"
    options = "importFileExtension=.js"

    def compile(self) -> None:
        """Compile everything."""
        (self.folder / "node_modules").symlink_to(self.tools.node)
        shutil.copytree(PROGRAMS / "typescript_fetch", self.folder, dirs_exist_ok=True)
        run(("node_modules/.bin/tsc",), self.folder)

    def echo(self, messages: list[Message]) -> list[Any]:
        """Read and write."""
        return read_lines(run(("node", "out/src/echo.js"), self.folder, lines_of(messages)))

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play by the generated API."""
        return finished_report(run(("node", "out/src/play.js", address, seed), self.folder))


class Java(OfJar):
    """Java's own HTTP client and Jackson."""

    name = "openapi-generator: java (native)"
    language = "java"
    options = "containerDefaultToNull=true, openApiNullable=false, useJakartaEe=false, hideGenerationTimestamp=true"
    more = ("--library", "native")

    def compile(self) -> None:
        """Compile with the libraries of the jar: Jackson and the annotations."""
        needed("javac", "default-jdk-headless")
        sources = [*(self.folder / "made/src/main/java").rglob("*.java"), *(PROGRAMS / "java").rglob("*.java")]
        options = ("-nowarn", "-proc:none", "-g:none", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1")
        run(("javac", *options, "-cp", self.tools.jar, "-d", "classes", *sources), self.folder)

    def echo(self, messages: list[Message]) -> list[Any]:
        """Read and write."""
        return read_lines(run((*JAVA, *self.path(), "Echo"), self.folder, lines_of(messages)))

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play by the generated API."""
        return finished_report(run((*JAVA, *self.path(), "Play", address, seed), self.folder))

    def path(self) -> tuple[str, ...]:
        """Return the class path."""
        return ("-cp", f"classes{os.pathsep}{self.tools.jar}")


class Kotlin(OfJar):
    """Kotlin's models by kotlinx.serialization; its HTTP clients come from Maven's registry alone."""

    name = "openapi-generator: kotlin"
    language = "kotlin"
    options = "serializationLibrary=kotlinx_serialization, generateOneOfAnyOfWrappers=true"
    more = (
        *("--type-mappings", "object=JsonElement,AnyType=JsonElement"),
        *("--import-mappings", "JsonElement=kotlinx.serialization.json.JsonElement"),
    )
    played_by = "Java's HTTP client"

    def compile(self) -> None:
        """Compile the models with their serializers."""
        library, jars = self.tools.kotlin
        made = self.folder / "made/src/main/kotlin/org/openapitools/client"
        infrastructure = made / "infrastructure"
        sources = [made / "models", infrastructure / "Serializer.kt", *infrastructure.glob("*Adapter.kt")]
        options = ("-nowarn", "-no-stdlib", "-cp", os.pathsep.join(map(str, jars)), "-d", "client.jar")
        plugin = f"-Xplugin={library / 'kotlin-serialization-compiler-plugin.jar'}"
        compiler = ("-Xmx2g", "-cp", f"{library}/*", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler")
        programs = sorted((PROGRAMS / "kotlin").glob("*.kt"))
        run((*JAVA, *compiler, *options, plugin, *sources, *programs), self.folder)

    def echo(self, messages: list[Message]) -> list[Any]:
        """Read and write."""
        return read_lines(run((*JAVA, *self.path(), "EchoKt"), self.folder, lines_of(messages)))

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play by the models."""
        return finished_report(run((*JAVA, *self.path(), "PlayKt", address, seed), self.folder))

    def path(self) -> tuple[str, ...]:
        """Return the class path."""
        return ("-cp", os.pathsep.join(["client.jar", *map(str, self.tools.kotlin[1])]))


class Go(OfJar):
    """Go with its standard library."""

    name = "openapi-generator: go"
    language = "go"
    options = (
        "enumClassPrefix=true, useOneOfDiscriminatorLookup=true, disallowAdditionalPropertiesIfNotPresent=false, "
        "packageName=dorfplatz"
    )
    more = ("--git-user-id", "dorfplatz", "--git-repo-id", "client")

    def compile(self) -> None:
        """Compile with two programs; the first of them needs every type by its name."""
        for program in ("echo", "play"):
            shutil.copytree(PROGRAMS / "go" / program, self.folder / "made" / program, dirs_exist_ok=True)
        makers = "".join(f'\t"{name}": func() any {{ return new(dorfplatz.{name}) }},\n' for name in self.types())
        head = 'package main\n\nimport "github.com/dorfplatz/client"\n\nvar types = map[string]func() any{\n'
        (self.folder / "made/echo/types.go").write_text(f"{head}{makers}}}\n", "utf-8")
        where = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOCACHE": str(self.folder / "cache")}
        for program in ("echo", "play"):
            run((self.tools.go, "build", "-o", f"../{program}", f"./{program}"), self.folder / "made", **where)

    def types(self) -> list[str]:
        """Return the names of components that are types in Go."""
        written = "\n".join(path.read_text("utf-8") for path in (self.folder / "made").glob("model_*.go"))
        return [name for name in Contract(self.document).schemas if f"\ntype {name} " in written]

    def echo(self, messages: list[Message]) -> list[Any]:
        """Read and write."""
        return read_lines(run((self.folder / "echo",), self.folder, lines_of(messages)))

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play by the generated API."""
        return finished_report(run((self.folder / "play", address, seed), self.folder))


class CSharp(OfJar):
    """C# with Json.NET, as Debian's Mono compiles it."""

    name = "openapi-generator: csharp (httpclient)"
    language = "csharp"
    options = "targetFramework=net48, packageName=Dorfplatz"
    more = ("--library", "httpclient")
    played_by = "Mono's HTTP client"

    def compile(self) -> None:
        """Compile the models; the client proper needs Polly, which is in NuGet's registry alone.

        Debian's Json.NET is too old to know a naming strategy, which has no effect on names that are given.
        """
        compiler = needed("mcs", "mono-mcs")
        json_net = Path("/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll")
        if not json_net.exists():
            raise Missing("no Json.NET here; Debian has it in libnewtonsoft-json5.0-cil")
        shutil.copy(json_net, self.folder)
        made = self.folder / "made/src/Dorfplatz"
        base = made / "Model/AbstractOpenAPISchema.cs"
        base.write_text(re.sub(r"\s+NamingStrategy = new \w+\s+\{[^}]*\}", "", base.read_text("utf-8")), "utf-8")
        sources = [*made.glob("Model/*.cs"), made / "Client/OpenAPIDateConverter.cs", made / "Client/FileParameter.cs"]
        assemblies = ("System.ComponentModel.DataAnnotations", "System.Runtime.Serialization", "Newtonsoft.Json")
        references = [f"-r:{name}.dll" for name in assemblies]
        programs = sorted((PROGRAMS / "csharp").glob("*.cs"))
        options = ("-nowarn:0108,0114,0219,0472,1591", "-langversion:7.2", "-out:client.exe")
        run((compiler, *options, *references, *sources, *programs), self.folder)

    def echo(self, messages: list[Message]) -> list[Any]:
        """Read and write."""
        return read_lines(run(("mono", "client.exe", "echo"), self.folder, lines_of(messages)))

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play by the models."""
        return finished_report(run(("mono", "client.exe", "play", address, seed), self.folder))


class Swift(OfJar):
    """Swift, of which no compiler can be had: its grammar is checked, and its types against the document."""

    name = "openapi-generator: swift6"
    language = "swift6"
    check: Callable[[Path, Contract], list[str]] = staticmethod(swift_faults)

    def compile(self) -> None:
        """Check the source."""
        packages("grammars")
        if faults := self.check(self.folder / "made", Contract(self.document)):
            raise Broken(f"{len(faults)} faults, the first: {faults[0]}")
        raise Missing("no compiler can be had; grammar and types of the source are right")


class Dart(Swift):
    """Dart with built_value."""

    name = "openapi-generator: dart-dio"
    language = "dart-dio"
    check = staticmethod(dart_faults)


class HeyApi(Client):
    """TypeScript with an API of functions."""

    name = "@hey-api/openapi-ts"

    def generate(self) -> None:
        """Turn the document into source; the settings name modules as Node.js requires, in full."""
        (self.folder / "node_modules").symlink_to(self.tools.node)
        shutil.copytree(PROGRAMS / "hey_api", self.folder, dirs_exist_ok=True)
        run(("node_modules/.bin/openapi-ts", "-f", "openapi-ts.config.mjs", "-i", self.document), self.folder)

    def compile(self) -> None:
        """Compile everything."""
        run(("node_modules/.bin/tsc",), self.folder)

    def echo(self, messages: list[Message]) -> list[Any]:
        """Let the compiler judge each message as a literal of its type; types are gone when a program runs."""
        write_literals(self.folder / "src/recorded.ts", "./made/types.gen.js", "{name}", messages)
        return compile_messages("node_modules/.bin/tsc", self.folder, messages)

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play by the generated functions."""
        return finished_report(run(("node", "out/play.js", address, seed), self.folder))


def write_literals(file: Path, types: str, name: str, messages: list[Message]) -> None:
    """Write a module with each message as a constant of its type, one a line."""
    told = [
        f"export const _{at}: T.{name.format(name=schema)} = {json.dumps(body)};"
        for at, (schema, body) in enumerate(messages)
    ]
    file.write_text("\n".join([f'import type * as T from "{types}";', *told, ""]), "utf-8")


def compile_messages(compiler: str, folder: Path, messages: list[Message]) -> list[Any]:
    """Compile everything, and return messages with the compiler's complaint in place of the refused ones.

    Raise Broken for any other complaint.
    """
    done = subprocess.run([str(folder / compiler)], cwd=folder, capture_output=True, text=True, check=False)
    seen: list[Any] = [body for _, body in messages]
    for line in done.stdout.splitlines():
        if line.startswith("src/recorded.ts("):
            number = int(line.removeprefix("src/recorded.ts(").partition(",")[0])
            seen[number - 2] = f"!{line}"
        elif not line.startswith(" "):  # more of the complaint before
            raise Broken(line)
    return seen


class OpenapiTypescript(Client):
    """TypeScript's types alone; `tests/e2e/test_typescript_client.py` plays with them."""

    name = "openapi-typescript"
    options = "--default-non-nullable=false --empty-objects-unknown=true"

    def generate(self) -> None:
        """Turn the document into types."""
        (self.folder / "node_modules").symlink_to(self.tools.node)
        source = PROGRAMS / "typescript"
        shutil.copytree(source, self.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "out"))
        program = "node_modules/.bin/openapi-typescript"
        run((program, self.document, *self.options.split(), "-o", "src/contract.d.ts"), self.folder)

    def compile(self) -> None:
        """Compile everything."""
        run(("node_modules/.bin/tsc",), self.folder)

    def echo(self, messages: list[Message]) -> list[Any]:
        """Let the compiler judge each message as a literal of its type; types are gone when a program runs."""
        named = 'components["schemas"]["{name}"]'
        write_literals(self.folder / "src/recorded.ts", "./contract.js", named, messages)
        return compile_messages("node_modules/.bin/tsc", self.folder, messages)

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play as the end-to-end test does."""
        return {"moves": "all", **finished_report(run(("node", "out/play.js", address, seed), self.folder))}


class OpenapiPythonClient(Client):
    """Python with attrs and httpx."""

    name = "openapi-python-client"
    options = "--config tests/clients/python/generator.yaml --fail-on-warning"

    def generate(self) -> None:
        """Turn the document into a package; a warning is a failure."""
        settings = PROGRAMS / "python" / "generator.yaml"
        command: tuple[str | Path, ...] = (
            sys.executable,
            "-m",
            "openapi_python_client",
            "generate",
            "--path",
            self.document,
        )
        target: tuple[str | Path, ...] = (
            "--config",
            settings,
            "--meta",
            "none",
            "--output-path",
            "generated_client",
            "--fail-on-warning",
        )
        run((*command, *target), self.folder)

    def compile(self) -> None:
        """Import every module."""
        run((sys.executable, "-c", "import generated_client.models"), self.folder, PYTHONPATH=str(self.folder))

    def echo(self, messages: list[Message]) -> list[Any]:
        """Read and write; a union has no class, so its member is read."""
        contract = Contract(self.document)
        said = lines_of([contract.leaf(message) for message in messages])
        program = PROGRAMS / "python" / "echo.py"
        return read_lines(run((sys.executable, program), self.folder, said, PYTHONPATH=str(self.folder)))

    def play(self, address: str, seed: str) -> dict[str, Any]:
        """Play as the end-to-end test does."""
        program = PROGRAMS / "python" / "play.py"
        told = json.loads(run((sys.executable, program, address, seed), self.folder, PYTHONPATH=str(self.folder)))
        return {"status": told["session"]["status"], "moves": "all"}


def finished_report(said: str) -> dict[str, Any]:
    """Return a program's report on its session; raise Broken if the session is not over."""
    told: dict[str, Any] = json.loads(said)
    if told["status"] != "finished":
        raise Broken(f"the session is {told['status']}")
    return told


CLIENTS: Final[tuple[type[Client], ...]] = (
    OpenapiTypescript, HeyApi, OpenapiPythonClient, TypescriptFetch, Python, Java, Kotlin, Go, CSharp, Swift, Dart,
)  # fmt: skip
