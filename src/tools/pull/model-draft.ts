import type { ItemTable } from './item-tables.ts'
import type { ModelNames } from './model-names.ts'
import type { PulledMember } from './pulled-model.ts'

/** A model under construction. */
export interface ModelDraft extends ModelNames {
  readonly item: ItemTable
  readonly members: PulledMember[]
  readonly memberNames: Set<string>
  /** The fields of columns, for indexes. */
  readonly fields: Map<string, string>
  readonly notes: string[]
}

export function modelDraft(item: ItemTable, names: ModelNames): ModelDraft {
  return {
    ...names,
    item,
    members: [],
    memberNames: new Set(),
    fields: new Map(),
    notes: [],
  }
}

export function addMember(draft: ModelDraft, member: PulledMember, column?: string): void {
  draft.members.push(member)
  draft.memberNames.add(member.name)
  if (column !== undefined) draft.fields.set(column, member.name)
}
