import { type LeasedRow, LeasedRows } from '../background/leased-rows.ts'
import { internalModel } from '../store/internal-model.ts'

/** What the store keeps of a job until it has ended. Its name is the id of the job. */
export interface JobRow extends LeasedRow {
  readonly kind: 'lines' | 'action'
  /** The id of the caller. */
  readonly requestedBy: string
  /** In milliseconds since 1970. */
  readonly createdAtMs: number
  readonly method: string
  readonly path: string
  readonly query: string
  /** As JSON. */
  readonly headers: string
  readonly chunkCount: number
  /** How often a process has begun it since it last got on. */
  readonly attempts: number
  /** Has the transaction of the action been committed? 0 or 1. */
  readonly actedCount: number
  /** All lines before this one are carried out, or have failed. */
  readonly position: number
  /** The numbers of later lines that are carried out, as JSON. */
  readonly doneLines: string
  readonly created: number
  readonly updated: number
  readonly failed: number
  /** The first of them, as JSON. */
  readonly errors: string
}

/** The jobs that have not ended. */
export const jobRows: LeasedRows<JobRow> = new LeasedRows(
  internalModel(
    'deferredRequest',
    'deferred_requests',
    {
      kind: 'string',
      requestedBy: 'string',
      createdAtMs: 'integer',
      method: 'string',
      path: 'string',
      query: 'string',
      headers: 'string',
      chunkCount: 'integer',
      attempts: 'integer',
      actedCount: 'integer',
      position: 'integer',
      doneLines: 'string',
      created: 'integer',
      updated: 'integer',
      failed: 'integer',
      errors: 'string',
      owner: 'string',
      beat: 'integer',
    },
    [['owner', 'createdAtMs']],
  ),
  'job',
)

/** A job that no process has begun. */
export function newJobRow(
  request: Pick<
    JobRow,
    'kind' | 'requestedBy' | 'createdAtMs' | 'method' | 'path' | 'query' | 'headers' | 'chunkCount'
  >,
): JobRow {
  return {
    ...request,
    attempts: 0,
    actedCount: 0,
    position: 0,
    doneLines: '[]',
    created: 0,
    updated: 0,
    failed: 0,
    errors: '[]',
    owner: '',
    beat: 0,
  }
}
