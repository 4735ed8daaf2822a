import type { Problem } from '../error/problem.ts'

/** The way to a member of the sent document, from its root. */
export type Steps = readonly (string | number)[]

/** A member as it was sent, and where. */
export interface PayloadValue<T> {
  readonly value: T
  readonly steps: Steps
}

/** A relation as it was sent: identifiers, each with its own place. */
export type LinkagePayload =
  | { readonly kind: 'one'; readonly id: PayloadValue<string> }
  | { readonly kind: 'none'; readonly steps: Steps }
  | { readonly kind: 'many'; readonly ids: readonly PayloadValue<string>[]; readonly steps: Steps }

/** The input of an action as it was sent, not yet checked. */
export type ActionPayload =
  | {
      readonly kind: 'nothing'
      /** What a document without it lacks; without one, there is no body at all. */
      readonly missingProblem?: Problem
    }
  | ({ readonly kind: 'sent'; readonly document: unknown } & PayloadValue<unknown>)

/**
 * An item as a client sent it, once the policy's form is taken off: members by the model's own
 * names, values not yet checked.
 */
export interface ItemPayload {
  /** The whole document, in which every pointer must exist. */
  readonly document: unknown
  /** Where the item stands in it. */
  readonly steps: Steps
  /** Where its values and its relations stand, or would stand. */
  readonly memberSteps: { readonly values: Steps; readonly relations: Steps }
  readonly id: PayloadValue<string> | undefined
  readonly values: ReadonlyMap<string, PayloadValue<unknown>>
  readonly relations: ReadonlyMap<string, LinkagePayload>
  /**
   * Inverse relations that were sent in a form that cannot write them; undefined where the form
   * can.
   */
  readonly readOnlyRelations?: ReadonlyMap<string, LinkagePayload>
  /**
   * The id of a new item, chosen while the document was read: relations may name the item by it
   * before it is there.
   */
  readonly newId: string | undefined
  /**
   * Does null that is stored stay, where it is sent back as it was given? Else null in a merge
   * always removes (RFC 7396).
   */
  readonly keepsNulls?: boolean
  /**
   * What is wrong with it beside its form; refused together with what the model says of the rest.
   */
  readonly problems: readonly Problem[]
}
