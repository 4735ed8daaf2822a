/** What a local id stands for, or why it stands for nothing. */
export type LocalId =
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'unknown'; readonly detail: string }

/** What is known, at one place of a document, of new resources that have no id yet: by type and lid (JSON:API 1.1, resource identification). */
export type Locals = (type: string, lid: string) => LocalId

const unknown: LocalId = Object.freeze({ kind: 'unknown', detail: 'No resource of this document has this lid.' })

export const noLocals: Locals = () => unknown

/** A document with one new resource, which its own relations may name by its lid. */
export function oneLocal(type: string, lid: string, id: string): Locals {
  return (otherType, other) => (other === lid && otherType === type ? { kind: 'known', id } : unknown)
}
