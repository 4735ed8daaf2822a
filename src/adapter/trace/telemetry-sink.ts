import type { Context, Span, SpanOptions } from '@opentelemetry/api'
import { processMetrics } from '../metrics/process-metrics.ts'
import { requestMetrics } from '../metrics/request-metrics.ts'
import { epochMs, loadApi } from './open-telemetry.ts'
import { requestLabels, spanAttributes, spanName } from './request-labels.ts'
import type { ServerTrace } from './server-trace.ts'
import { statementSpans } from './statement-spans.ts'
import type { TraceSink } from './trace-requests.ts'

/** The name of the instrumentation, by which collectors tell who made a span. */
const scope = 'resourcery'

/** Where `@opentelemetry/instrumentation-http` tells others its span of the request. */
const outerSpanKey = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA')

interface OuterSpan {
  readonly span: Span
  route?: string
}

/** What telemetry keeps of a request until its end. */
interface Observed {
  readonly span: Span
  readonly context: Context
  /** The span of other instrumentation, which ends and measures it. */
  readonly outer: OuterSpan | undefined
}

/**
 * Makes a span of each request, with a span for each of its stages and statements, and measures
 * requests and what stores and feeds do (semantic conventions of OpenTelemetry 1.44).
 * @throws RegistrationError where `@opentelemetry/api` is not installed
 */
export function telemetrySink(owner: string): TraceSink {
  const api = loadApi(owner)
  const {
    context,
    metrics,
    propagation,
    ROOT_CONTEXT,
    SpanKind,
    SpanStatusCode,
    trace: spans,
  } = api
  const tracer = spans.getTracer(scope)
  const meter = metrics.getMeter(scope)
  const requests = requestMetrics(meter)
  // A program may call the host in a span of its start, which is not that of each request.
  const atStart = spans.getSpan(context.active())
  const observedOf = new WeakMap<ServerTrace, Observed>()

  const outerSpan = (current: Context): OuterSpan | undefined => {
    const announced = current.getValue(outerSpanKey) as OuterSpan | undefined
    if (announced?.span.isRecording()) return announced
    const span = spans.getSpan(current)
    return span !== atStart && span?.isRecording() ? { span } : undefined
  }

  const beginSpan = (trace: ServerTrace): Observed => {
    const current = context.active()
    const outer = outerSpan(current)
    if (outer) return { span: outer.span, context: current, outer }
    const { headers } = trace.exchange
    const parent = propagation.extract(ROOT_CONTEXT, headers)
    const options: SpanOptions = {
      kind: SpanKind.SERVER,
      startTime: epochMs(trace.startMs),
      attributes: spanAttributes(trace),
    }
    const span = tracer.startSpan(spanName(trace), options, parent)
    requests.begin(trace)
    return { span, context: spans.setSpan(parent, span), outer }
  }

  return {
    begin(trace) {
      const observed = beginSpan(trace)
      observedOf.set(trace, observed)
      const { traceId } = observed.span.spanContext()
      if (spans.isSpanContextValid(observed.span.spanContext())) trace.traceId = traceId
      trace.run = (handle) => context.with(observed.context, handle)
    },
    end(trace, durationMs) {
      const observed = observedOf.get(trace)
      if (observed === undefined) return
      const { span, outer } = observed
      for (const { stage, startMs, durationMs: stageMs } of trace.stages)
        tracer
          .startSpan(stage, { startTime: epochMs(startMs) }, observed.context)
          .end(epochMs(startMs + stageMs))
      const { template } = trace
      const { status } = trace.exchange
      if (template !== undefined) span.setAttribute('http.route', template)
      if (outer) {
        if (template !== undefined) outer.route = template
        return
      }
      span.setAttributes(requestLabels(trace))
      span.updateName(spanName(trace))
      if (status !== undefined && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      requests.end(trace, durationMs, observed.context)
      span.end(epochMs(trace.startMs + durationMs))
    },
    open(report) {
      if (openSinks++ === 0)
        endings = [processMetrics(meter, report), statementSpans(api, tracer, report)]
    },
    close() {
      if (--openSinks === 0) for (const end of endings.splice(0)) end()
    },
  }
}

/** All hosts of a process share what listens to its stores: each would tell of every statement. */
let openSinks = 0
let endings: (() => void)[] = []
