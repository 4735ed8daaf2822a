import type { BeginObserver } from '../../store/write-observer.ts'

/** Lines that one transaction carries out. */
export interface WrittenLines {
  /** Their numbers. */
  readonly lines: readonly number[]
  /** How many of them create an item, and how many change one. */
  readonly created: number
  readonly updated: number
}

/** Keeps how far a body of lines is carried out, so that another process can go on. */
export interface LineProgress {
  /** Did an earlier process carry out the line? */
  isDone(line: number): boolean
  /** A batch begins: all lines before this one are carried out, or have failed. */
  begin(line: number): void
  /**
   * Runs a transaction.
   * @param run the recorder it gets notes in the transaction that the lines are carried out
   */
  commit<T>(written: WrittenLines, run: (recorder: BeginObserver) => Promise<T>): Promise<T>
  /** The lines were carried out, and undone, as the request prefers. */
  noteUndone(written: WrittenLines): void
}
