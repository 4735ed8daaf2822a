import type { RequestLog } from '../log/log-options.ts'
import { logSink } from '../log/request-log.ts'
import { telemetrySink } from './telemetry-sink.ts'
import type { TraceSink } from './trace-requests.ts'

/** The options of hosts that say what becomes of traces. */
export interface TraceOptions {
  readonly log?: RequestLog
  readonly telemetry?: boolean
}

/**
 * @param owner the function that gets the options, with parentheses: `serve()`
 * @throws RegistrationError for invalid options
 */
export function traceSinks(
  { log = false, telemetry = false }: TraceOptions,
  owner: string,
): readonly TraceSink[] {
  return [
    ...(telemetry ? [telemetrySink(owner)] : []),
    ...(log === false ? [] : [logSink(log, owner)]),
  ]
}
