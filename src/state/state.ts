/** A typed key of `context.state`, made by `stateKey`. */
export interface StateKey<Value> {
  readonly name: string
  /** Carries the type only. */
  readonly value?: Value
}

/** The value under a `StateKey` has the type of the key; under any other key it is unknown. */
export interface State extends Map<unknown, unknown> {
  get<Key>(key: Key): Key extends StateKey<infer Value> ? Value | undefined : unknown
  set<Key>(key: Key, value: Key extends StateKey<infer Value> ? Value : unknown): this
}

/**
 * Makes a typed key of `context.state`. Request hooks set a value under it, and query hooks,
 * mappers and operations read it. Two keys are never equal, even with the same name.
 *
 * ```ts
 * const caller = stateKey<{ id: string }>('caller')
 * const signIn: RequestHook = ({ state }) => void state.set(caller, { id: 'ada' })
 * const own: QueryHook = (query, { state }) =>
 *   query.where('customer').equal(state.get(caller)?.id ?? null)
 * ```
 */
export function stateKey<Value>(name: string): StateKey<Value> {
  return Object.freeze({ name })
}
