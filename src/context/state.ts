/** The name of one thing that hooks leave in `context.state`, made by `stateKey`, with its type. */
export interface StateKey<Value> {
  readonly name: string
  /** Carries the type only. */
  readonly value?: Value
}

/** What is left under a key is of that key's type; under anything else, of any. */
export interface State extends Map<unknown, unknown> {
  get<Key>(key: Key): Key extends StateKey<infer Value> ? Value | undefined : unknown
  set<Key>(key: Key, value: Key extends StateKey<infer Value> ? Value : unknown): this
}

/**
 * A key of `context.state`, under which phase 1 leaves what phase 2, mappers and operations find,
 * with its type. Two keys are never the same one, whatever they are called.
 *
 * ```ts
 * const caller = stateKey<{ id: string }>('caller')
 * const signIn: RequestHook = ({ state }) => void state.set(caller, { id: 'ada' })
 * const own: QueryHook = (query, { state }) => query.where('customer').equal(state.get(caller)?.id ?? null)
 * ```
 */
export function stateKey<Value>(name: string): StateKey<Value> {
  return Object.freeze({ name })
}
