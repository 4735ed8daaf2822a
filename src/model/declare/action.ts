import { type InputOf, isSchema, type OutputOf, type Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import { RegistrationError } from '../registration-error.ts'

/** What may be said about an action. */
export interface ActionOptions<I extends Schema | undefined, O extends Schema | undefined> {
  /**
   * What a caller sends: validated before the action runs (422). Without one, nothing may be sent.
   */
  readonly input?: I
  /** What the caller is answered with. Without one, it is the item as the action left it. */
  readonly output?: O
  readonly description?: string
  /**
   * Makes `<id>For<Model>` the operation's id in the document; else it is derived from the path.
   */
  readonly id?: string
  /** The errors that the action itself answers: descriptions by status, from 400 to 599. */
  readonly responses?: Readonly<Record<number, string>>
}

/** What the schema of an input gives; undefined where there is none. */
export type ActionInput<I extends Schema | undefined> = I extends Schema ? OutputOf<I> : undefined

/** What an action is called with: its input, or nothing. */
export type ActionArguments<I extends Schema | undefined> = I extends Schema
  ? [input: OutputOf<I>]
  : []

/** What an action returns: its output, at once or later; or nothing that anyone looks at. */
export type ActionReturn<O extends Schema | undefined> = O extends Schema
  ? InputOf<O> | Promise<InputOf<O>>
  : unknown

/**
 * Marks a method, under the standard convention of decorators (2023-11) and under TypeScript's
 * older one.
 */
export interface ActionDecorator<Method> {
  (method: Method, context: ClassMethodDecoratorContext): void
  (prototype: object, name: string | symbol, descriptor: { readonly value?: Method }): void
}

export type AnyActionOptions = ActionOptions<Schema | undefined, Schema | undefined>

type AnyFunction = (...values: never) => unknown

/** By the functions themselves, so that no metadata and no class is needed. */
const optionsByFunction = new WeakMap<AnyFunction, AnyActionOptions>()

let actionFieldCount = 0

/** How many functions were made actions without a decorator so far. */
export function countActionFields(): number {
  return actionFieldCount
}

/** What was said about the function when it was marked as an action; undefined where it was not. */
export function actionOptionsOf(value: unknown): AnyActionOptions | undefined {
  return typeof value === 'function' ? optionsByFunction.get(value as AnyFunction) : undefined
}

/**
 * Makes a method of a model callable at `POST /<plural>/<id>/<method>`: it is called on the item,
 * whose changes are then validated and stored. It only marks the method; of several decorators it
 * stands first, so that it marks what the others made.
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
export function Action(): ActionDecorator<() => unknown>
export function Action<I extends Schema>(
  input: I,
): ActionDecorator<(...given: ActionArguments<I>) => unknown>
export function Action<
  I extends Schema | undefined = undefined,
  O extends Schema | undefined = undefined,
>(options: ActionOptions<I, O>): ActionDecorator<(...given: ActionArguments<I>) => ActionReturn<O>>
export function Action(method: () => unknown, context: ClassMethodDecoratorContext): void
export function Action(
  prototype: object,
  name: string | symbol,
  descriptor: { readonly value?: () => unknown },
): void
export function Action(...values: readonly unknown[]): unknown {
  if (values.length > 1) return attachOptions({}, values)
  const [said = {}] = values
  if (typeof said === 'function' && !isSchema(said)) throw misplacedDecorator('a class')
  const options = toActionOptions('@Action', said as ActionDeclaration)
  return (...decorated: readonly unknown[]) => attachOptions(options, decorated)
}

/**
 * The same without a decorator: a field of the class that holds a function. An arrow function has
 * the item as its `this`. Fields are made for each instance, so the schema is best declared outside
 * the class.
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
  method: (this: This, ...given: ActionArguments<I>) => Output,
): (this: This, ...given: ActionArguments<I>) => Output
export function action<
  This,
  Output extends ActionReturn<O>,
  I extends Schema | undefined = undefined,
  O extends Schema | undefined = undefined,
>(
  options: ActionOptions<I, O>,
  method: (this: This, ...given: ActionArguments<I>) => Output,
): (this: This, ...given: ActionArguments<I>) => Output
export function action(said: ActionDeclaration | AnyFunction, method?: AnyFunction): unknown {
  const marked = method ?? (said as AnyFunction)
  optionsByFunction.set(
    marked,
    method ? toActionOptions('action()', said as ActionDeclaration) : {},
  )
  actionFieldCount++
  return marked
}

type ActionDeclaration = Schema | AnyActionOptions

function toActionOptions(owner: string, said: ActionDeclaration): AnyActionOptions {
  if (isSchema(said)) return { input: said }
  checkActionOptions(owner, said)
  return Object.freeze({ ...said })
}

/** @throws RegistrationError */
export function checkActionOptions(owner: string, options: AnyActionOptions): void {
  checkOptions(owner, options, actionOptions)
}

const actionOptions: OptionChecks<AnyActionOptions> = {
  input: true,
  output: true,
  description: true,
  id: true,
  responses: true,
}

/**
 * The standard convention tells the kind of what is decorated; the older one shows the property
 * itself.
 */
function attachOptions(
  options: AnyActionOptions,
  [first, second, third]: readonly unknown[],
): void {
  const isStandard = typeof second === 'object' && second !== null && 'kind' in second
  const decorated = isStandard
    ? standardMethod(first, second as ClassMethodDecoratorContext)
    : legacyMethod(first, String(second), third as PropertyDescriptor | undefined)
  optionsByFunction.set(decorated as AnyFunction, options)
}

function standardMethod(method: unknown, context: ClassMethodDecoratorContext): unknown {
  const { kind, name } = context
  if (kind !== 'method') throw misplacedDecorator(`the ${kind} '${String(name)}'`)
  if (context.static || context.private)
    throw misplacedDecorator(`the method '${String(name)}', which is no public one of items`)
  return method
}

function legacyMethod(
  owner: unknown,
  name: string,
  descriptor: PropertyDescriptor | undefined,
): unknown {
  const method: unknown = descriptor?.value
  if (typeof method !== 'function') throw misplacedDecorator(`'${name}', which is no method`)
  if (typeof owner === 'function')
    throw misplacedDecorator(`the method '${name}', which is no public one of items`)
  return method
}

function misplacedDecorator(what: string): RegistrationError {
  return new RegistrationError(
    `@Action decorates ${what}; it marks public methods of a model's instances only.`,
  )
}
