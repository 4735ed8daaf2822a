/**
 * A step of what `Store.open` would do to the tables, with its statements. The steps are in their
 * order.
 *
 * - `instant`: takes a moment, however many items there are.
 * - `online`: reads all rows of a table. The statements are for the time before the start: they run
 *   while the table is written. A start that finds them undone does the step at once, and writes to
 *   the table wait for it.
 * - `rewrite`: reads all items of a model, and writes those that change.
 * - `never`: a store does not do this. The statements are for a person to run.
 * - `refused`: the store does not open before a person has changed the tables, or the models.
 */
export type PlanStep =
  | {
      readonly kind: 'instant' | 'online' | 'rewrite' | 'never'
      /** What the step does, as a sentence. */
      readonly summary: string
      readonly sql: readonly string[]
      /** How many items a start reads for it; absent if that does not matter. */
      readonly itemCount?: number
      /** So many a quiet machine does in a second; absent for the usual of its kind. */
      readonly itemsPerSecond?: number
      /**
       * From here on, processes of the old version respond with 503. Such steps come last, so that
       * only those after it keep clients waiting. Absent if they go on.
       */
      readonly endsOldProcesses?: true
      /**
       * Fails while steps of the kind `rewrite` are not done. A start does both, these first.
       * Absent if it can be done before them.
       */
      readonly followsFilling?: true
    }
  | {
      readonly kind: 'refused'
      readonly summary: string
      /** With which a person changes the tables; absent if nobody but a person knows. */
      readonly sql?: readonly string[]
    }
