import { randomUUID } from 'node:crypto'
import type { Context } from '../context/context.ts'
import { refusalsOf } from '../error/refusals.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { responseText } from '../http/response-text.ts'
import { ServiceRequest } from '../http/service-request.ts'
import type { ItemsOf } from '../model/items/items.ts'
import type { DeferrableWork } from '../pipeline/deferral.ts'
import { respondAsync } from '../pipeline/deferral.ts'
import { withoutCredentials } from '../rule/own-parameters.ts'
import { countOf } from '../text/message-text.ts'
import { jobRows, newJobRow } from './job-rows.ts'
import { type JobServices, jobMediaType } from './job-services.ts'
import { keepBody, removeBody } from './kept-bodies.ts'
import { keptHeaders } from './kept-headers.ts'

export const createJobErrors = ['too-many-requests', 'body-too-large'] as const

const { refuse, temporaryRefusal } = refusalsOf(createJobErrors)

/** When to look at a job again, in seconds. */
export const lookAgainSeconds = 1

/** Undefined for callers without an id, who could not read their jobs. */
export function ownerOf({ caller }: Pick<Context, 'caller'>): string | undefined {
  const id = (caller as { readonly id?: unknown } | undefined)?.id
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/**
 * Keeps a request as a job, and responds with it.
 * @param wake called when there is a job to carry out
 * @throws ApiError
 */
export async function createJob(
  services: JobServices,
  { context, kind, body, preferences }: DeferrableWork,
  wake: () => void,
): Promise<ApiResponse> {
  const { store, settings, Job } = services
  const { method, path, headers } = context.request
  const query = withoutCredentials(context.rule, context.request.query)
  const owner = ownerOf(context)!
  const id = randomUUID()
  // Without a lock, so that no body is kept in vain; the transaction counts again.
  await refuseTooMany(services, services.items, owner)
  try {
    const chunkCount = await keepBody(store, id, body, {
      maxBytes: settings.maxBodyBytes,
      refuse: () => refuseLargeBody(settings.maxBodyBytes),
    })
    const now = new Date()
    const row = newJobRow({
      kind,
      requestedBy: owner,
      createdAtMs: now.getTime(),
      method,
      path,
      query,
      headers: JSON.stringify(keptHeaders(headers, settings.headers)),
      chunkCount,
    })
    await services.inTransaction(
      async (items) => {
        await refuseTooMany(services, items, owner)
        await items(Job).create({
          id,
          state: 'waiting',
          request: truncate(`${method} ${path}`, 500),
          linesDone: kind === 'lines' ? 0 : null,
          result: null,
          errors: [],
          owner,
          createdAt: now.toISOString(),
          startedAt: null,
          endedAt: null,
        })
      },
      (transaction) => jobRows.insert(transaction, id, row),
    )
  } catch (error) {
    await store.write((transaction) => removeBody(transaction, id)).catch(services.onError)
    throw error
  }
  wake()
  return acceptedResponse(services, context.caller, id, preferences)
}

async function acceptedResponse(
  services: JobServices,
  caller: unknown,
  id: string,
  preferences: string | undefined,
): Promise<ApiResponse> {
  const { basePath, urlPrefix, rule } = services
  const path = rule.path.replace(':id', id)
  const accept = jobMediaType(services)
  const target = { path: basePath + path, query: '', accept }
  const { status, headers, body } = await services.respond(new ServiceRequest(caller, target))
  const text = await responseText({ body })
  const address = urlPrefix() + path
  const { 'content-type': type, vary } = headers
  return {
    status: 202,
    headers: {
      ...(status === 200 && type !== undefined && { 'content-type': type }),
      ...(vary !== undefined && { vary }),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      location: address,
      'content-location': address,
      'preference-applied': [respondAsync, ...(preferences ? [preferences] : [])].join(', '),
      'retry-after': String(lookAgainSeconds),
    },
    body: status === 200 ? { kind: 'text', text } : { kind: 'empty' },
  }
}

/** Counting locks the jobs of the owner, so requests at the same time count one after the other. */
async function refuseTooMany(
  { Job, settings: { maxPerOwner } }: JobServices,
  items: ItemsOf,
  owner: string,
): Promise<void> {
  const count = await items(Job).count((all) =>
    all.where('owner').equal(owner).where('endedAt').equal(null),
  )
  if (count >= maxPerOwner)
    throw temporaryRefusal(
      'too-many-requests',
      `At most ${countOf(maxPerOwner, 'job')} of a caller may wait or run. Wait until one has ended, or delete one.`,
      lookAgainSeconds,
    )
}

function refuseLargeBody(limit: number): never {
  throw refuse(
    'body-too-large',
    `The body of a request that is carried out later must have at most ${limit} bytes.`,
    undefined,
    { meta: { limit } },
  )
}
