import { type LeasedRow, LeasedRows } from '../../background/leased-rows.ts'
import { internalModel } from '../../store/internal-model.ts'

/** What the store keeps of a consumer. */
export interface ConsumerRow extends LeasedRow {
  /** Where it reads on; empty for the first change that the log keeps. */
  readonly position: string
  /** How often the change after the position has failed. */
  readonly attempts: number
  /** What failed last; empty if nothing has. */
  readonly error: string
  /** In milliseconds since 1970. */
  readonly errorAtMs: number
  /** How many changes were ever put aside: the next one gets this number. */
  readonly asideCount: number
  /** How often it was asked to repeat the changes that are put aside, and how often it has. */
  readonly repeatsAsked: number
  readonly repeatsDone: number
}

/** All consumers that ever ran over a store. */
export const consumerRows: LeasedRows<ConsumerRow> = new LeasedRows(
  internalModel('consumer', 'consumers', {
    position: 'string',
    owner: 'string',
    beat: 'integer',
    attempts: 'integer',
    error: 'string',
    errorAtMs: 'integer',
    asideCount: 'integer',
    repeatsAsked: 'integer',
    repeatsDone: 'integer',
  }),
  'consumer',
)

/** @param position where it begins */
export function newConsumer(position: string): ConsumerRow {
  return {
    position,
    owner: '',
    beat: 0,
    attempts: 0,
    error: '',
    errorAtMs: 0,
    asideCount: 0,
    repeatsAsked: 0,
    repeatsDone: 0,
  }
}
