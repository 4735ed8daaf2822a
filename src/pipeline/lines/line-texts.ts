import type { LineOutcome } from './run-lines.ts'

/** The text of the response for a line that is carried out. */
export function writtenLine(
  line: number,
  { status, id }: Extract<LineOutcome, { kind: 'written' }>,
): string {
  return `${JSON.stringify({ line, status, id })}\n`
}

/** How many lines were carried out, for responses that do not have all of them. */
export class LineCounts {
  #created = 0
  #updated = 0
  #failed = 0

  add(outcome: LineOutcome): void {
    if (outcome.kind === 'failed') this.#failed++
    else if (outcome.status === 201) this.#created++
    else this.#updated++
  }

  /** The last line of the response. */
  text(): string {
    const counts = { created: this.#created, updated: this.#updated, failed: this.#failed }
    return `${JSON.stringify(counts)}\n`
  }
}
