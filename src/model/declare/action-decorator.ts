import { isSchema, type Schema } from '../../schema/standard-schema.ts'
import { RegistrationError } from '../registration-error.ts'
import {
  type ActionArguments,
  type ActionDeclaration,
  type ActionOptions,
  type ActionReturn,
  type AnyActionOptions,
  toActionOptions,
} from './action-options.ts'

/** Works as a standard decorator (2023-11) and as a legacy one (`experimentalDecorators`). */
export interface ActionDecorator<Method> {
  (method: Method, context: ClassMethodDecoratorContext): void
  (prototype: object, name: string | symbol, descriptor: { readonly value?: Method }): void
}

type AnyFunction = (...values: never) => unknown

/** Keyed by the function, so that neither decorator metadata nor the class is needed. */
const optionsByFunction = new WeakMap<AnyFunction, AnyActionOptions>()

/** The options of a function that `@Action` decorates; undefined for any other value. */
export function decoratorOptionsOf(value: unknown): AnyActionOptions | undefined {
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
 * @throws RegistrationError if it decorates anything but a public instance method, or for an
 * unknown option
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
