import { createRequire } from 'node:module'
import type { Context, Span, SpanOptions } from '@opentelemetry/api'
import { RegistrationError } from '../../model/registration-error.ts'
import {
  activeLabels,
  durationBuckets,
  requestLabels,
  spanAttributes,
  spanName,
} from './request-labels.ts'
import type { ServerTrace } from './server-trace.ts'
import type { TraceSink } from './trace-requests.ts'

type Api = typeof import('@opentelemetry/api')

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
 * Makes a span of each request, with a span for each of its stages, and measures how long requests
 * take (semantic conventions of OpenTelemetry 1.44).
 * @throws RegistrationError where `@opentelemetry/api` is not installed
 */
export function telemetrySink(owner: string): TraceSink {
  const { context, metrics, propagation, SpanKind, SpanStatusCode, trace: spans } = loadApi(owner)
  const tracer = spans.getTracer(scope)
  const meter = metrics.getMeter(scope)
  const duration = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: [...durationBuckets] },
  })
  const active = meter.createUpDownCounter('http.server.active_requests', {
    description: 'Number of active HTTP server requests.',
    unit: '{request}',
  })
  const observedOf = new WeakMap<ServerTrace, Observed>()

  const outerSpan = (current: Context): OuterSpan | undefined => {
    const announced = current.getValue(outerSpanKey) as OuterSpan | undefined
    if (announced?.span.isRecording()) return announced
    const span = spans.getSpan(current)
    return span?.isRecording() ? { span } : undefined
  }

  const beginSpan = (trace: ServerTrace): Observed => {
    const current = context.active()
    const outer = outerSpan(current)
    if (outer) return { span: outer.span, context: current, outer }
    const { headers } = trace.res.req
    const parent = propagation.extract(current, headers)
    const options: SpanOptions = {
      kind: SpanKind.SERVER,
      startTime: epochMs(trace.startMs),
      attributes: spanAttributes(trace),
    }
    const span = tracer.startSpan(spanName(trace), options, parent)
    active.add(1, activeLabels(trace))
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
      const { template, status } = trace
      if (template !== undefined) span.setAttribute('http.route', template)
      if (outer) {
        if (template !== undefined) outer.route = template
        return
      }
      const labels = requestLabels(trace)
      span.setAttributes(labels)
      span.updateName(spanName(trace))
      if (status !== undefined && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(epochMs(trace.startMs + durationMs))
      active.add(-1, activeLabels(trace))
      duration.record(durationMs / 1_000, labels, observed.context)
    },
  }
}

/** The time since 1970 of a time of `performance.now()`. */
function epochMs(ms: number): number {
  return performance.timeOrigin + ms
}

function loadApi(owner: string): Api {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api')
  } catch (cause) {
    throw new RegistrationError(
      `The option 'telemetry' of ${owner} needs the package '@opentelemetry/api'. Run 'npm install @opentelemetry/api'.`,
      { cause },
    )
  }
}
