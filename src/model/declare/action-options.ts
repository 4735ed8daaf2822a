import { type InputOf, isSchema, type OutputOf, type Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import type { ActionDetails } from '../items/items.ts'
import type { ActionUse } from './action-use.ts'

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
  /**
   * A request hook or middleware for this action alone, or several, which run after those of the
   * model. Default: none.
   */
  readonly use?: ActionUse | readonly ActionUse[]
  /**
   * Can clients ask for it to run after the response (`Prefer: respond-async`)? Only on a router
   * with `jobs()`; a crash may then run it again. Default: false.
   */
  readonly async?: boolean
}

/** The value of the input schema; undefined without one. */
export type ActionInput<I extends Schema | undefined> = I extends Schema ? OutputOf<I> : undefined

/** The parameters of an action: its input, if it has one, and what it may use. */
export type ActionArguments<I extends Schema | undefined> = I extends Schema
  ? [input: OutputOf<I>, details: ActionDetails]
  : [details: ActionDetails]

/** The return value of an action: its output, or anything (ignored) without an output schema. */
export type ActionReturn<O extends Schema | undefined> = O extends Schema
  ? InputOf<O> | Promise<InputOf<O>>
  : unknown

export type AnyActionOptions = ActionOptions<Schema | undefined, Schema | undefined>

/** The schema of the input alone, or options. */
export type ActionDeclaration = Schema | ActionOptions<Schema | undefined, Schema | undefined>

/** @throws RegistrationError */
export function toActionOptions(owner: string, declaration: ActionDeclaration): AnyActionOptions {
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
  use: true,
  async: 'boolean',
}
