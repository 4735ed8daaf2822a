import type { Tracer } from '@opentelemetry/api'
import { listenTo, type StatementsRun, statementsRun } from '../../telemetry/channels.ts'
import type { ErrorReporter } from '../error-reporter.ts'
import { epochMs, type OpenTelemetry } from './open-telemetry.ts'
import { statementLabels, statementSummary } from './statement-labels.ts'

/**
 * Makes a span of each round trip to a database, as a child of the span of its request, until the
 * returned function is called. Those without a request have none: a service that nobody asks would
 * fill traces.
 */
export function statementSpans(
  { context, SpanKind, SpanStatusCode, trace }: OpenTelemetry,
  tracer: Tracer,
  report: ErrorReporter,
): () => void {
  const addSpan = (run: StatementsRun): void => {
    const current = context.active()
    if (!trace.getSpan(current)?.isRecording()) return
    const { statements, startMs, durationMs, failure } = run
    const name = statementSummary(statements)
    const span = tracer.startSpan(
      name,
      {
        kind: SpanKind.CLIENT,
        startTime: epochMs(startMs),
        attributes: {
          ...statementLabels(run),
          'db.query.summary': name,
          'db.query.text': statements.join('; '),
          ...(statements.length > 1 && { 'db.operation.batch.size': statements.length }),
        },
      },
      current,
    )
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(epochMs(startMs + durationMs))
  }
  return listenTo(statementsRun, addSpan, report)
}
