import type { WrittenLines } from '../pipeline/lines/line-progress.ts'
import { truncateErrors } from './bounded-errors.ts'
import type { JobError } from './job-model.ts'
import type { JobRow } from './job-rows.ts'

/** What has become of the lines of a job, as it is kept. */
export type LineFacts = Pick<
  JobRow,
  'position' | 'doneLines' | 'created' | 'updated' | 'failed' | 'errors'
>

/** What has become of the lines of a job. */
export class LineOutcomes {
  #position: number
  #doneLines: ReadonlySet<number>
  #created: number
  #updated: number
  #failed: number
  #errors: readonly JobError[]

  constructor(row: LineFacts) {
    this.#position = row.position
    this.#doneLines = new Set(JSON.parse(row.doneLines) as number[])
    this.#created = row.created
    this.#updated = row.updated
    this.#failed = row.failed
    this.#errors = JSON.parse(row.errors) as JobError[]
  }

  isDone(line: number): boolean {
    return line < this.#position || this.#doneLines.has(line)
  }

  /** All lines before this one are carried out, or have failed. */
  begin(line: number): void {
    this.#position = line
    this.#doneLines = new Set([...this.#doneLines].filter((done) => done >= line))
  }

  addWritten({ lines, created, updated }: WrittenLines): void {
    this.#doneLines = new Set([...this.#doneLines, ...lines])
    this.#created += created
    this.#updated += updated
  }

  addFailed(error: JobError): void {
    this.#failed++
    this.#errors = truncateErrors([...this.#errors, error])
  }

  get count(): number {
    return this.#created + this.#updated + this.#failed
  }

  get errors(): readonly JobError[] {
    return this.#errors
  }

  /** Has a line created or changed an item? */
  get hasWritten(): boolean {
    return this.#created + this.#updated > 0
  }

  /** As the result of the job shows it. */
  get counts(): Readonly<Record<'created' | 'updated' | 'failed', number>> {
    return { created: this.#created, updated: this.#updated, failed: this.#failed }
  }

  /** As it is kept once these lines are written too. */
  factsWith({ lines, created, updated }: WrittenLines): LineFacts {
    return {
      position: this.#position,
      doneLines: JSON.stringify([...this.#doneLines, ...lines]),
      created: this.#created + created,
      updated: this.#updated + updated,
      failed: this.#failed,
      errors: JSON.stringify(this.#errors),
    }
  }
}
