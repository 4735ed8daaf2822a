import type { ModelDescription } from '../model/model-description.ts'

/**
 * How far the lists of models were read, and which items beyond that were taken already, because a
 * required relation leads to them. Ids are ASCII, so that stores and JavaScript order them alike.
 */
export class ListProgress {
  readonly #cursors = new Map<ModelDescription, string>()
  readonly #finished = new Set<ModelDescription>()
  readonly #early = new Map<ModelDescription, Set<string>>()

  /** The id of the last item of a list; undefined if none was read. */
  cursorOf(model: ModelDescription): string | undefined {
    return this.#cursors.get(model)
  }

  isFinished(model: ModelDescription): boolean {
    return this.#finished.has(model)
  }

  finish(model: ModelDescription): void {
    this.#finished.add(model)
    this.#early.delete(model)
  }

  /** Was the item taken, by its list or early? */
  isTaken(model: ModelDescription, id: string): boolean {
    if (this.#finished.has(model) || this.#early.get(model)?.has(id)) return true
    const cursor = this.#cursors.get(model)
    return cursor !== undefined && id <= cursor
  }

  /** The list of the model has got to the item. */
  list(model: ModelDescription, id: string): void {
    this.#cursors.set(model, id)
    this.#early.get(model)?.delete(id)
  }

  /** The item is taken before its list gets to it. */
  takeEarly(model: ModelDescription, id: string): void {
    const ids = this.#early.get(model) ?? new Set()
    this.#early.set(model, ids.add(id))
  }
}
