/** One object type instead of an intersection, so that editors show its members. */
export type Flatten<T> = { [K in keyof T]: T[K] } & {}
