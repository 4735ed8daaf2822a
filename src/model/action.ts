import { type InputOf, isSchema, type OutputOf, type Schema } from '../schema/standard-schema.ts'
import { checkOptions, type KnownOptions } from './check-options.ts'
import { RegistrationError } from './registration-error.ts'

/** What may be said about an action. */
export interface ActionOptions<I extends Schema | undefined, O extends Schema | undefined> {
  /** What a caller sends: validated before the action runs (422). Without one, nothing may be sent. */
  readonly input?: I
  /** What the caller is answered with. Without one, it is the item as the action left it. */
  readonly output?: O
  readonly description?: string
  /** Makes `<id>For<Model>` the operation's id in the document; else it is derived from the path. */
  readonly id?: string
  /** The errors that the action itself answers: descriptions by status, from 400 to 599. */
  readonly responses?: Readonly<Record<number, string>>
}

/** What the schema of an input gives; undefined where there is none. */
export type InputOfAction<I extends Schema | undefined> = I extends Schema ? OutputOf<I> : undefined

/** What an action is called with: its input, or nothing. */
export type Given<I extends Schema | undefined> = I extends Schema ? [input: OutputOf<I>] : []

/** What an action returns: its output, at once or later; or nothing that anyone looks at. */
export type Returned<O extends Schema | undefined> = O extends Schema ? InputOf<O> | Promise<InputOf<O>> : unknown

/** Marks a method, under the standard convention of decorators (2023-11) and under TypeScript's older one. */
export interface ActionMark<Method> {
  (method: Method, context: ClassMethodDecoratorContext): void
  (prototype: object, name: string | symbol, descriptor: { readonly value?: Method }): void
}

export type AnyActionOptions = ActionOptions<Schema | undefined, Schema | undefined>

type AnyFunction = (...values: never) => unknown

/** By the functions themselves, so that no metadata and no class is needed. */
const marks = new WeakMap<AnyFunction, AnyActionOptions>()

let made = 0

/** How many functions were made actions without a decorator so far. */
export function actionsMade(): number {
  return made
}

/** What was said about the function when it was marked as an action; undefined where it was not. */
export function actionOptionsOf(value: unknown): AnyActionOptions | undefined {
  return typeof value === 'function' ? marks.get(value as AnyFunction) : undefined
}

/**
 * Makes a method of a model callable at `POST /<plural>/<id>/<method>`: it is called on the item, whose changes are then validated and
 * stored. It only marks the method; of several decorators it stands first, so that it marks what the others made.
 *
 * ```ts
 * class Book extends model('book', { price: z.number().nonnegative() }) {
 *   @Action({ input: z.object({ percent: z.number().min(0).max(100) }) })
 *   discount({ percent }: { percent: number }) {
 *     this.price *= 1 - percent / 100
 *   }
 * }
 * ```
 *
 * @throws RegistrationError where it decorates anything else than a public method of instances.
 */
export function Action(): ActionMark<() => unknown>
export function Action<I extends Schema>(input: I): ActionMark<(...given: Given<I>) => unknown>
export function Action<I extends Schema | undefined = undefined, O extends Schema | undefined = undefined>(
  options: ActionOptions<I, O>,
): ActionMark<(...given: Given<I>) => Returned<O>>
export function Action(method: () => unknown, context: ClassMethodDecoratorContext): void
export function Action(prototype: object, name: string | symbol, descriptor: { readonly value?: () => unknown }): void
export function Action(...values: readonly unknown[]): unknown {
  if (values.length > 1) return mark({}, values)
  const [said = {}] = values
  if (typeof said === 'function' && !isSchema(said)) throw misplaced('a class')
  const options = optionsOf('@Action', said as Said)
  return (...decorated: readonly unknown[]) => mark(options, decorated)
}

/**
 * The same without a decorator: a field of the class that holds a function. An arrow function has the item as its `this`.
 * Fields are made for each instance, so the schema is best declared outside the class.
 *
 * ```ts
 * const Percent = z.object({ percent: z.number().min(0).max(100) })
 *
 * class Book extends model('book', { price: z.number().nonnegative() }) {
 *   discount = action(Percent, ({ percent }) => {
 *     this.price *= 1 - percent / 100
 *   })
 * }
 * ```
 */
export function action<This, Output>(method: (this: This) => Output): (this: This) => Output
export function action<This, I extends Schema, Output>(
  input: I,
  method: (this: This, ...given: Given<I>) => Output,
): (this: This, ...given: Given<I>) => Output
export function action<
  This,
  Output extends Returned<O>,
  I extends Schema | undefined = undefined,
  O extends Schema | undefined = undefined,
>(
  options: ActionOptions<I, O>,
  method: (this: This, ...given: Given<I>) => Output,
): (this: This, ...given: Given<I>) => Output
export function action(said: Said | AnyFunction, method?: AnyFunction): unknown {
  const marked = method ?? (said as AnyFunction)
  marks.set(marked, method ? optionsOf('action()', said as Said) : {})
  made++
  return marked
}

type Said = Schema | AnyActionOptions

function optionsOf(owner: string, said: Said): AnyActionOptions {
  if (isSchema(said)) return { input: said }
  checkActionOptions(owner, said)
  return Object.freeze({ ...said })
}

/** @throws RegistrationError */
export function checkActionOptions(owner: string, options: AnyActionOptions): void {
  checkOptions(owner, options, actionOptions)
}

const actionOptions: KnownOptions<AnyActionOptions> = {
  input: true,
  output: true,
  description: true,
  id: true,
  responses: true,
}

/** The standard convention tells the kind of what is decorated; the older one shows the property itself. */
function mark(options: AnyActionOptions, [first, second, third]: readonly unknown[]): void {
  const isStandard = typeof second === 'object' && second !== null && 'kind' in second
  const decorated = isStandard
    ? standard(first, second as ClassMethodDecoratorContext)
    : legacy(first, String(second), third as PropertyDescriptor | undefined)
  marks.set(decorated as AnyFunction, options)
}

function standard(method: unknown, context: ClassMethodDecoratorContext): unknown {
  const { kind, name } = context
  if (kind !== 'method') throw misplaced(`the ${kind} '${String(name)}'`)
  if (context.static || context.private)
    throw misplaced(`the method '${String(name)}', which is no public one of items`)
  return method
}

function legacy(owner: unknown, name: string, descriptor: PropertyDescriptor | undefined): unknown {
  const method: unknown = descriptor?.value
  if (typeof method !== 'function') throw misplaced(`'${name}', which is no method`)
  if (typeof owner === 'function') throw misplaced(`the method '${name}', which is no public one of items`)
  return method
}

function misplaced(what: string): RegistrationError {
  return new RegistrationError(`@Action decorates ${what}; it marks public methods of a model's instances only.`)
}
