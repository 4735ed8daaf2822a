import type { JsonSchema } from '../schema/json-schema.ts'
import type { Schema } from '../schema/standard-schema.ts'
import type { ActionUse } from './declare/action-use.ts'

/** The input or the output of an action. */
export interface ActionValue {
  readonly schema: Schema
  readonly jsonSchema: JsonSchema
}

export interface ActionDescription {
  /** The last segment of its path. */
  readonly name: string
  readonly description: string | undefined
  /** A method of the class of the model, or a function that is registered on the router. */
  readonly run:
    | { readonly kind: 'method' }
    | { readonly kind: 'callable'; readonly callable: (context: never) => unknown }
  /** Is it declared as an async function? */
  readonly isAsync: boolean
  /** Undefined if the request has no body. */
  readonly input: ActionValue | undefined
  /** Undefined if the response is the item. */
  readonly output: ActionValue | undefined
  /** Undefined without an `id` option. */
  readonly operationId: string | undefined
  /** The errors that it declares. */
  readonly responses: readonly { readonly status: number; readonly description: string }[]
  /** What runs for it besides the middleware of the model. */
  readonly use: readonly ActionUse[]
  /** Can it run after the response? */
  readonly isDeferrable: boolean
}
