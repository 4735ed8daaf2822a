import type { Schema } from '../../schema/standard-schema.ts'
import { RegistrationError } from '../registration-error.ts'
import {
  type ActionArguments,
  type ActionDeclaration,
  type ActionOptions,
  type ActionReturn,
  type AnyActionOptions,
  toActionOptions,
} from './action-options.ts'
import { type MarkableModel, refuseOtherArguments } from './markable-method.ts'
import type { AnyModel } from './model.ts'

/**
 * The names of the public methods of an item, for editors. Any other string is inferred as well, so
 * that the compiler says that the method is missing.
 */
export type MethodName<Item> =
  | ({
      [K in keyof Item]: Item[K] extends (...parameters: never) => unknown ? K : never
    }[keyof Item] &
      string)
  | (string & Record<never, never>)

/** The type of a method for the schema of its input, or for its options. */
export type ActionMethod<D extends ActionDeclaration> = D extends Schema
  ? (...parameters: ActionArguments<D>) => unknown
  : (...parameters: ActionArguments<SchemaIn<D, 'input'>>) => ActionReturn<SchemaIn<D, 'output'>>

/** The schema in an option; undefined without one. */
export type SchemaIn<O, Option extends string> = O extends {
  readonly [K in Option]: infer S extends Schema
}
  ? S
  : undefined

/** Refuses unknown options. The compiler does so by itself only where the type is not inferred. */
export type KnownActionOptions<D extends ActionDeclaration> = D extends Schema
  ? D
  : { readonly [K in keyof D]: K extends keyof ActionOptions<undefined, undefined> ? D[K] : never }

/** By prototype and name, so that a mark of an inherited method leaves the base class alone. */
const marksByPrototype = new WeakMap<object, Map<string, AnyActionOptions>>()

/** The options of the methods that `action()` marked for the class of this prototype, by name. */
export function marksOf(prototype: object): ReadonlyMap<string, AnyActionOptions> {
  return marksByPrototype.get(prototype) ?? new Map()
}

/**
 * Makes a method of a model callable at `POST /<plural>/<id>/<method>`, as `@Action` does, without
 * a decorator. Call it in a static block of the class, with the schema of the input or with
 * options.
 *
 * ```ts
 * const Percent = z.object({ percent: z.number().min(0).max(100) })
 *
 * class Book extends model('book', { price: z.number().nonnegative() }) {
 *   discount({ percent }: z.infer<typeof Percent>) {
 *     this.price *= 1 - percent / 100
 *   }
 *   static {
 *     action(this, 'discount', Percent)
 *   }
 * }
 * ```
 *
 * @throws RegistrationError if the name is not that of a public instance method, if the class is
 * not a model, if the method is marked already, or for an unknown option
 */
export function action<
  M extends Pick<AnyModel, 'prototype' | 'modelName'>,
  Name extends MethodName<M['prototype']>,
  D extends ActionDeclaration = ActionOptions<undefined, undefined>,
>(
  model: M & { readonly prototype: { readonly [K in Name]: ActionMethod<D> } },
  method: Name,
  inputOrOptions?: D & ActionDeclaration & KnownActionOptions<D>,
): void
export function action(
  model: MarkableModel,
  method: string,
  inputOrOptions: ActionDeclaration = {},
): void {
  refuseOtherArguments(model, method)
  const { prototype } = model
  const marks = marksByPrototype.get(prototype) ?? new Map<string, AnyActionOptions>()
  if (marks.has(method)) throw markedTwice(model, method)
  marksByPrototype.set(prototype, marks.set(method, toActionOptions('action()', inputOrOptions)))
}

/** For a method that is marked twice in one class. */
export function markedTwice({ modelName }: MarkableModel, method: string): RegistrationError {
  return new RegistrationError(
    `The model '${modelName}' marks the method '${method}' as an action twice. Mark it once, with action() or with @Action.`,
  )
}
