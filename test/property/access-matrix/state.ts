export const modelNames = ['team', 'person', 'talk', 'comment', 'track', 'vault'] as const
export type ModelName = (typeof modelNames)[number]

export type ItemValues = Readonly<Record<string, unknown>> & { readonly id: string }

/** All items of a world, by model and id, in the names of the models. File fields hold text. */
export type WorldState = Readonly<Record<ModelName, ReadonlyMap<string, ItemValues>>>

export interface RelationShape {
  readonly target: ModelName
  readonly isMany: boolean
}

/** The relations that items hold. */
export const relations: Readonly<Record<ModelName, Readonly<Record<string, RelationShape>>>> = {
  team: { lead: { target: 'person', isMany: false } },
  person: {
    team: { target: 'team', isMany: false },
    mentor: { target: 'person', isMany: false },
    vault: { target: 'vault', isMany: false },
  },
  talk: {
    speaker: { target: 'person', isMany: false },
    reviewers: { target: 'person', isMany: true },
    sponsors: { target: 'team', isMany: true },
    track: { target: 'track', isMany: false },
  },
  comment: {
    talk: { target: 'talk', isMany: false },
    author: { target: 'person', isMany: false },
    parent: { target: 'comment', isMany: false },
  },
  track: { host: { target: 'person', isMany: false } },
  vault: {},
}

export const files: Readonly<Record<ModelName, readonly string[]>> = {
  team: [],
  person: ['photo', 'badge'],
  talk: ['slides'],
  comment: [],
  track: [],
  vault: [],
}

/** Rollups of comments, some of which a reader of the talk may not see. */
export const ruledRollups: ReadonlySet<string> = new Set([
  'talk.rating',
  'talk.best',
  'talk.commentCount',
])

/** The items without relations to items that the state does not have. */
export function withoutDangling(state: WorldState): WorldState {
  return mapState(state, (name, item) => {
    const changed: Record<string, unknown> = {}
    for (const [member, { target, isMany }] of Object.entries(relations[name])) {
      const value = item[member]
      if (isMany)
        changed[member] = ((value ?? []) as string[]).filter((id) => state[target].has(id))
      else changed[member] = typeof value === 'string' && state[target].has(value) ? value : null
    }
    return { ...item, ...changed }
  })
}

/** Each item as the function changes it; undefined leaves it out. */
export function mapState(
  state: WorldState,
  change: (name: ModelName, item: ItemValues) => ItemValues | undefined,
): WorldState {
  const changed = modelNames.map((name) => [
    name,
    new Map(
      [...state[name].values()].flatMap((item) => {
        const result = change(name, item)
        return result ? [[item.id, result] as const] : []
      }),
    ),
  ])
  return Object.fromEntries(changed) as WorldState
}
