import type { ModelDescription } from '../../store/public.ts'

/**
 * How far the lists of models were read, and which items beyond that were taken already, because a
 * required relation leads to them. Only the store knows the order of its lists, so ids are never
 * compared here.
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

  /** Was the item taken before the list of its model got to it? */
  isTakenEarly(model: ModelDescription, id: string): boolean {
    return this.#early.get(model)?.has(id) ?? false
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
