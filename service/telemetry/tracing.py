"""OpenTelemetry traces. Each request and each task of a worker has a span.

Spans contain no path, session, seat or caller. They are sent only if `OTEL_TRACES_EXPORTER` is `otlp`, or if an
endpoint is set. The endpoint is `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, Tracer

from service.trace_context import PROPAGATOR

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

SERVICE: Final = "dorfplatz"
TRACE_HEADERS: Final = ("traceparent", "tracestate")
"""Headers that contain the trace of a request."""

_TRACE_BITS: Final = 128
_SPAN_BITS: Final = 64
_SPAN_MASK: Final = (1 << _SPAN_BITS) - 1


Value = str | int


class Tracing:
    """Starts spans. If there is no provider, spans have ids but are not recorded."""

    def __init__(self, provider: TracerProvider | None = None, draw: Callable[[int], int] = secrets.randbits) -> None:
        """Create a tracer. If `provider` is given, this provider records the spans.

        If `provider` is None, the spans are not recorded. The tracer then uses `draw` to create their ids. `draw(n)`
        returns n random bits.
        """
        self._provider = provider
        self._tracer: Tracer | None = None if provider is None else provider.get_tracer(SERVICE)
        self._draw = draw

    @classmethod
    def from_env(cls, part: str) -> Tracing:
        """Return a tracer. OpenTelemetry's environment variables configure it. `part` is the name of the program."""
        exporter = os.environ.get("OTEL_TRACES_EXPORTER", "")
        endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        wanted = exporter == "otlp" or (not exporter and any(os.environ.get(name) for name in endpoints))
        if not wanted or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
            return cls()
        return cls(_exporting(part))

    def begin(self, name: str, carrier: Mapping[str, str], kind: SpanKind, **attributes: Value) -> Span:
        """Start a span. If `carrier` contains a trace, the span belongs to this trace. The caller must end the span."""
        if self._tracer is None and not carrier:  # a cheaper form of the case below
            drawn = self._draw(_TRACE_BITS + _SPAN_BITS)
            return NonRecordingSpan(SpanContext(drawn >> _SPAN_BITS or 1, drawn & _SPAN_MASK or 1, is_remote=False))
        context = PROPAGATOR.extract(carrier, Context()) if carrier else Context()
        if self._tracer is not None:
            return self._tracer.start_span(name, context, kind, attributes)
        parent = trace.get_current_span(context).get_span_context()
        return NonRecordingSpan(
            SpanContext(
                trace_id=parent.trace_id or self._draw(_TRACE_BITS) or 1,
                span_id=self._draw(_SPAN_BITS) or 1,
                is_remote=False,
                trace_flags=parent.trace_flags,
                trace_state=parent.trace_state,
            )
        )

    def close(self) -> None:
        """Send the remaining spans. No span may be started afterwards."""
        if self._provider is not None:
            self._provider.shutdown()


def trace_id(span: Span) -> str:
    return trace.format_trace_id(span.get_span_context().trace_id)


def traceparent(span: Span) -> str:
    """Return the W3C `traceparent` header for a span."""
    ids = span.get_span_context()
    return f"00-{ids.trace_id:032x}-{ids.span_id:016x}-{ids.trace_flags:02x}"


def _exporting(part: str) -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: f"{SERVICE}-{part}"}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
