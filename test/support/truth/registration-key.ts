import type { Middleware } from 'resourcery'

/** What a router is made from, and what is registered on it, as a text: routers may share it. */
export interface RegistrationKey {
  note(call: string, ...values: readonly unknown[]): void
  text(): string
}

export function registrationKey(): RegistrationKey {
  const notes: string[] = []
  return {
    note: (call, ...values) =>
      void notes.push(`${call}(${values.map((value) => textOf(value)).join()})`),
    text: () => notes.join('\n'),
  }
}

const numbers = new WeakMap<object, number>()
let count = 0

/** Two functions or instances of classes are the same only if they are one. */
function identityOf(value: object): string {
  const number = numbers.get(value) ?? ++count
  numbers.set(value, number)
  return `#${number}`
}

/**
 * Middleware as the document sees it: that it has a hook, but not what the hook does, which is
 * called by requests only. Middleware that declares something may be an instance that others know.
 */
export function withoutHookFunctions(middleware: Middleware): unknown {
  if (typeof middleware !== 'object' || middleware === null || middleware.declares)
    return middleware
  const names = Reflect.ownKeys(middleware) as readonly (keyof Middleware)[]
  return Object.fromEntries(names.map((name) => [name, withoutFunctions(middleware[name])]))
}

/** @param hooks a hook, or hooks by name */
function withoutFunctions(hooks: unknown): unknown {
  if (typeof hooks === 'function') return hasFunction
  if (typeof hooks !== 'object' || hooks === null) return hooks
  return Object.fromEntries(
    Object.entries(hooks).map(([name, hook]) => [
      name,
      typeof hook === 'function' ? hasFunction : hook,
    ]),
  )
}

/** In place of any function. */
export const hasFunction: unique symbol = Symbol('has a function')

const origins = new WeakMap<object, string>()

/** The value is the same as others that the function makes from the same. */
export function noteOrigin<T extends object>(made: T, ...from: readonly unknown[]): T {
  origins.set(made, from.map((value) => textOf(value)).join())
  return made
}

/** Options of options are seldom deeper; an object may hold itself. */
const maxDepth = 6

/** Plain objects and arrays are the same if they hold the same. */
function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'function') return identityOf(value)
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : `${typeof value} ${String(value)}`
  const origin = origins.get(value)
  if (origin !== undefined) return origin
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  if (depth === maxDepth || !(isPlain || Array.isArray(value))) return identityOf(value)
  const members = Reflect.ownKeys(value).map((name) => {
    const { get, value: member } = Object.getOwnPropertyDescriptor(value, name)!
    return `${JSON.stringify(String(name))}:${get ? identityOf(get) : textOf(member, depth + 1)}`
  })
  return `{${members.join()}}`
}
