/** A description while it is put together. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] }
