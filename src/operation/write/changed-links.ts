import type { InverseField, ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { OperationInput } from '../operation-input.ts'
import { conditionOrNever } from './condition-or-never.ts'
import { currentLinks, inverseLinkCondition, type LinkageChange } from './inverse-links.ts'

type GuardedInput = Pick<OperationInput, 'guards' | 'context'>

/** An item that begins or ceases to be related. */
export interface ChangedLink {
  readonly relation: InverseField
  readonly id: string
  /** Does the payload name it? */
  readonly isNamed: boolean
}

/** The owner of inverse relations, and how they change. */
export interface ChangedOwner {
  readonly model: ModelDescription
  /** Undefined: a new item. */
  readonly id: string | undefined
  readonly payload: ItemPayload
  readonly change: LinkageChange
}

/** The links that a payload changes. Those that stay are not among them. */
export async function changedLinks(
  reader: StoreReader,
  input: GuardedInput,
  owner: ChangedOwner,
): Promise<readonly ChangedLink[]> {
  const links: ChangedLink[] = []
  for (const relation of owner.model.relations) {
    const linkage = owner.payload.relations.get(relation.name)
    if (relation.kind !== 'inverse' || linkage?.kind !== 'many') continue
    const named = new Map(linkage.ids.map(({ value }) => [value, undefined]))
    const { staying, leaving } = await visibleLinks(reader, input, owner, relation, named)
    const joining = owner.change === 'remove' ? [] : [...named.keys()]
    for (const id of joining) if (!staying.has(id)) links.push({ relation, id, isNamed: true })
    for (const id of leaving) links.push({ relation, id, isNamed: named.has(id) })
  }
  return links
}

const noLinks = { staying: new Set<string>(), leaving: [] }

async function visibleLinks(
  reader: StoreReader,
  input: GuardedInput,
  { id, change }: ChangedOwner,
  relation: InverseField,
  named: ReadonlyMap<string, unknown>,
): ReturnType<typeof currentLinks> {
  // A new item has no links yet.
  if (id === undefined) return noLinks
  const condition = conditionOrNever(() => inverseLinkCondition(input, relation, id))
  if (condition.kind === 'never') return noLinks
  return currentLinks(reader, input, id, relation, named, change)
}
