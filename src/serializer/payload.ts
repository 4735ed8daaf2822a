import type { Problem } from '../error/problem.ts'

/** The path to a member of the document, from its root. */
export type Steps = readonly (string | number)[]

/** A member that a client sent, and its path. */
export interface PayloadValue<T> {
  readonly value: T
  readonly steps: Steps
}

/** A relation that a client sent: ids, each with its own path. */
export type LinkagePayload =
  | { readonly kind: 'one'; readonly id: PayloadValue<string> }
  | { readonly kind: 'none'; readonly steps: Steps }
  | { readonly kind: 'many'; readonly ids: readonly PayloadValue<string>[]; readonly steps: Steps }

/** The input of an action that a client sent, not validated yet. */
export type ActionPayload =
  | {
      readonly kind: 'absent'
      /** The problem if input is required. Without it, the request has no body at all. */
      readonly missingProblem?: Problem
    }
  | ({ readonly kind: 'present'; readonly document: unknown } & PayloadValue<unknown>)

/**
 * An item that a client sent, without the document format of the policy: members by the model's own
 * names, values not validated yet.
 */
export interface ItemPayload {
  readonly kind: 'item'
  /** The whole document. Every error pointer must exist in it. */
  readonly document: unknown
  /** The path of the item. */
  readonly steps: Steps
  /** The paths under which the values and the relations stand, or would stand. */
  readonly memberSteps: { readonly values: Steps; readonly relations: Steps }
  readonly id: PayloadValue<string> | undefined
  readonly values: ReadonlyMap<string, PayloadValue<unknown>>
  readonly relations: ReadonlyMap<string, LinkagePayload>
  /** Relations that only the service sets, and inverse ones in a form that cannot write them. */
  readonly readOnlyRelations?: ReadonlyMap<string, LinkagePayload>
  /** Values that the service sets from the request, as the client sent them back. */
  readonly readOnlyValues?: ReadonlyMap<string, PayloadValue<unknown>>
  /**
   * The id of a new item, chosen while the document was read, so that relations can refer to it.
   */
  readonly newId: string | undefined
  /**
   * Whether a stored null stays when the client sends null for it. Otherwise null in a merge always
   * removes the member (RFC 7396).
   */
  readonly keepsNulls?: boolean
  /** Fields that do not exist for the client, by wire name. Default: none. */
  readonly hiddenNames?: ReadonlySet<string>
  /** Problems besides those of the form. They are reported together with those of the model. */
  readonly problems: readonly Problem[]
}

/** What a client sent as the body of a request. */
export type Payload = ItemPayload | ActionPayload
