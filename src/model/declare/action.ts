import { type InputOf, isSchema, type OutputOf, type Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import { RegistrationError } from '../registration-error.ts'

export interface ActionOptions<I extends Schema | undefined, O extends Schema | undefined> {
  /** The schema of the request body, checked before the action runs (422). Default: no body. */
  readonly input?: I
  /** The schema of the response. Default: the response is the changed item. */
  readonly output?: O
  /** What the action does, for the OpenAPI document. Default: none. */
  readonly description?: string
  /** The operation id in the document becomes `<id>For<Model>`. Default: one made of the path. */
  readonly id?: string
  /**
   * Errors that the action responds with: descriptions by status, from 400 to 599. Default: none.
   */
  readonly responses?: Readonly<Record<number, string>>
}

/** The value of the input schema; undefined without one. */
export type ActionInput<I extends Schema | undefined> = I extends Schema ? OutputOf<I> : undefined

/** The parameters of an action: its input, or nothing. */
export type ActionArguments<I extends Schema | undefined> = I extends Schema
  ? [input: OutputOf<I>]
  : []

/** The return value of an action: its output, or anything (ignored) without an output schema. */
export type ActionReturn<O extends Schema | undefined> = O extends Schema
  ? InputOf<O> | Promise<InputOf<O>>
  : unknown

/** Works as a standard decorator (2023-11) and as a legacy one (`experimentalDecorators`). */
export interface ActionDecorator<Method> {
  (method: Method, context: ClassMethodDecoratorContext): void
  (prototype: object, name: string | symbol, descriptor: { readonly value?: Method }): void
}

export type AnyActionOptions = ActionOptions<Schema | undefined, Schema | undefined>

type AnyFunction = (...values: never) => unknown

/** Keyed by the function, so that neither decorator metadata nor the class is needed. */
const optionsByFunction = new WeakMap<AnyFunction, AnyActionOptions>()

let actionFieldCount = 0

/** How many functions `action()` has marked so far. */
export function countActionFields(): number {
  return actionFieldCount
}

/** The options of a function that is marked as an action; undefined for any other value. */
export function actionOptionsOf(value: unknown): AnyActionOptions | undefined {
  return typeof value === 'function' ? optionsByFunction.get(value as AnyFunction) : undefined
}

/**
 * Makes a method of a model callable at `POST /<plural>/<id>/<method>`. It runs on the item, whose
 * changes are then validated and stored. With several decorators, write it first, so that it marks
 * the function that the others return.
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
 * @throws RegistrationError if it decorates anything but a public instance method, or for an unknown
 * option
 */
export function Action(): ActionDecorator<() => unknown>
export function Action<I extends Schema>(
  input: I,
): ActionDecorator<(...parameters: ActionArguments<I>) => unknown>
export function Action<
  I extends Schema | undefined = undefined,
  O extends Schema | undefined = undefined,
>(
  options: ActionOptions<I, O>,
): ActionDecorator<(...parameters: ActionArguments<I>) => ActionReturn<O>>
export function Action(method: () => unknown, context: ClassMethodDecoratorContext): void
export function Action(
  prototype: object,
  name: string | symbol,
  descriptor: { readonly value?: () => unknown },
): void
export function Action(...values: readonly unknown[]): unknown {
  if (values.length > 1) return attachOptions({}, values)
  const [declaration = {}] = values
  if (typeof declaration === 'function' && !isSchema(declaration))
    throw misplacedDecorator('a class')
  const options = toActionOptions('@Action', declaration as ActionDeclaration)
  return (...decorated: readonly unknown[]) => attachOptions(options, decorated)
}

/**
 * Marks a class field as an action, without a decorator. In an arrow function `this` is the item.
 * Declare the schema outside the class, because fields are created for each instance.
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
 *
 * @throws RegistrationError for an unknown option
 */
export function action<This, Output>(method: (this: This) => Output): (this: This) => Output
export function action<This, I extends Schema, Output>(
  input: I,
  method: (this: This, ...parameters: ActionArguments<I>) => Output,
): (this: This, ...parameters: ActionArguments<I>) => Output
export function action<
  This,
  Output extends ActionReturn<O>,
  I extends Schema | undefined = undefined,
  O extends Schema | undefined = undefined,
>(
  options: ActionOptions<I, O>,
  method: (this: This, ...parameters: ActionArguments<I>) => Output,
): (this: This, ...parameters: ActionArguments<I>) => Output
export function action(
  declaration: ActionDeclaration | AnyFunction,
  method?: AnyFunction,
): unknown {
  const target = method ?? (declaration as AnyFunction)
  optionsByFunction.set(
    target,
    method ? toActionOptions('action()', declaration as ActionDeclaration) : {},
  )
  actionFieldCount++
  return target
}

type ActionDeclaration = Schema | AnyActionOptions

function toActionOptions(owner: string, declaration: ActionDeclaration): AnyActionOptions {
  if (isSchema(declaration)) return { input: declaration }
  checkActionOptions(owner, declaration)
  return Object.freeze({ ...declaration })
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

/** A standard decorator gets a context object, a legacy one the property descriptor. */
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
    throw misplacedDecorator(`the static or private method '${String(name)}'`)
  return method
}

function legacyMethod(
  owner: unknown,
  name: string,
  descriptor: PropertyDescriptor | undefined,
): unknown {
  const method: unknown = descriptor?.value
  if (typeof method !== 'function') throw misplacedDecorator(`'${name}', which is not a method`)
  if (typeof owner === 'function') throw misplacedDecorator(`the static method '${name}'`)
  return method
}

function misplacedDecorator(target: string): RegistrationError {
  return new RegistrationError(
    `@Action decorates ${target}; expected a public instance method of a model.`,
  )
}
