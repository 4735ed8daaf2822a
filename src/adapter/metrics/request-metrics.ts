import { activeLabels, durationBuckets, requestLabels } from '../trace/request-labels.ts'
import type { ServerTrace } from '../trace/server-trace.ts'
import type { Meter } from './meter.ts'

/** Measures requests, by the names of the semantic conventions. */
export interface RequestMetrics {
  begin(trace: ServerTrace): void
  /** @param context the one of OpenTelemetry, by which a measurement finds its trace */
  end(trace: ServerTrace, durationMs: number, context?: unknown): void
}

export function requestMetrics(meter: Meter): RequestMetrics {
  const duration = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: [...durationBuckets] },
  })
  const active = meter.createUpDownCounter('http.server.active_requests', {
    description: 'Number of active HTTP server requests.',
    unit: '{request}',
  })
  return {
    begin: (trace) => active.add(1, activeLabels(trace)),
    end(trace, durationMs, context) {
      active.add(-1, activeLabels(trace))
      duration.record(durationMs / 1_000, requestLabels(trace), context)
    },
  }
}
