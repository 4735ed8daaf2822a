import type { Lease } from '../background/lease.ts'
import { ApiError } from '../error/api-error.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { responseText } from '../http/response-text.ts'
import { type DeferredParts, DeferredRequest } from '../pipeline/deferred-request.ts'
import { StoreOverloaded, StoreUnavailable } from '../store/store-failures.ts'
import { type JobEnd, jobEnd } from './job-end.ts'
import type { JobError } from './job-model.ts'
import { actionRunner, JobProgress } from './job-progress.ts'
import type { JobRow } from './job-rows.ts'
import type { JobServices } from './job-services.ts'
import { keptBody } from './kept-bodies.ts'
import type { LineOutcomes } from './line-outcomes.ts'

/** How an attempt of a job has ended. */
export type AttemptOutcome =
  | { readonly kind: 'ended'; readonly end: JobEnd }
  /** Something that will pass stopped it. */
  | { readonly kind: 'stopped'; readonly afterSeconds: number | undefined; readonly end: JobEnd }

export interface JobAttempt {
  readonly services: JobServices
  readonly lease: Lease<JobRow>
  readonly id: string
  readonly caller: unknown
  readonly signal: AbortSignal
  /** Called now and then with how many lines are done. */
  onProgress(count: number): Promise<void>
}

/** Sends the request of the job to the router, in the name of its caller. */
export function attemptJob(attempt: JobAttempt, outcomes: LineOutcomes): Promise<AttemptOutcome> {
  return attempt.lease.row.kind === 'lines'
    ? attemptLines(attempt, outcomes)
    : attemptAction(attempt)
}

async function attemptLines(attempt: JobAttempt, outcomes: LineOutcomes): Promise<AttemptOutcome> {
  const response = await send(attempt, { lines: new JobProgress(attempt.lease, outcomes) })
  if (response.status !== 200) return failedOutcome(response, outcomes)
  try {
    for await (const line of linesOf(response)) {
      const { line: number, status, errors } = JSON.parse(line) as Partial<JobError>
      if (errors) outcomes.addFailed({ line: number, status: status!, errors })
      await attempt.onProgress(outcomes.count)
    }
  } catch (error) {
    attempt.signal.throwIfAborted()
    const afterSeconds = passingSeconds(error)
    if (afterSeconds === undefined) throw error
    return { kind: 'stopped', afterSeconds, end: jobEnd('failed', outcomes, []) }
  }
  return { kind: 'ended', end: jobEnd('done', outcomes, []) }
}

async function attemptAction(attempt: JobAttempt): Promise<AttemptOutcome> {
  const response = await send(attempt, { runner: actionRunner(attempt.lease) })
  if (response.status >= 300) return failedOutcome(response, undefined)
  const result = (await bodyOf(response)) ?? null
  return { kind: 'ended', end: { state: 'done', result, errors: [], linesDone: undefined } }
}

function send(
  { services, lease, id, caller, signal }: JobAttempt,
  parts: DeferredParts,
): Promise<ApiResponse> {
  const { method, path, query, headers, chunkCount } = lease.row
  const { store, settings } = services
  const body = keptBody(store, id, chunkCount)
  const { actionTimeoutMs } = settings
  const target = { method, path, query, headers: JSON.parse(headers), body, signal }
  const request = new DeferredRequest(caller, { ...target, actionTimeoutMs }, parts)
  return services.respond(request)
}

/** The lines of a body, as they are carried out. */
async function* linesOf({ body }: ApiResponse): AsyncGenerator<string, void> {
  const chunks = body.kind === 'stream' ? body.chunks : [await responseText({ body })]
  for await (const chunk of chunks)
    for (const line of textOf(chunk).split('\n')) if (line !== '') yield line
}

function textOf(chunk: string | Uint8Array): string {
  return typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
}

/** The body of a response, which a hook may have made; undefined if it is empty. */
async function bodyOf(response: ApiResponse): Promise<unknown> {
  const text = await responseText(response)
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function failedOutcome(
  response: ApiResponse,
  outcomes: LineOutcomes | undefined,
): Promise<AttemptOutcome> {
  const { status, headers } = response
  const document = await bodyOf(response)
  const all = (document as { readonly errors?: unknown } | undefined)?.errors
  const errors = Array.isArray(all) ? all : [document]
  const error: JobError = { status, errors: errors.filter((one: unknown) => one !== undefined) }
  const end = jobEnd('failed', outcomes, [error])
  if (status !== 429 && status !== 503) return { kind: 'ended', end }
  return { kind: 'stopped', afterSeconds: secondsOf(headers['retry-after']), end }
}

/** Undefined for an error that will not pass. */
function passingSeconds(error: unknown): number | undefined {
  if (error instanceof StoreUnavailable || error instanceof StoreOverloaded) return 1
  if (!(error instanceof ApiError) || (error.status !== 429 && error.status !== 503))
    return undefined
  return secondsOf(error.headers['retry-after']) ?? 1
}

function secondsOf(value: unknown): number | undefined {
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}
