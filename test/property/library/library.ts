/** A library as a plain map: what a service over the same models should store and refuse. */

export type Kind = 'author' | 'book' | 'genre' | 'review'
export const kinds: readonly Kind[] = ['author', 'book', 'genre', 'review']

/** A relation as its model declares it; the items on the other side store an inverse one. */
export type Relation =
  | {
      readonly holds: 'one'
      readonly to: Kind
      readonly onDelete: 'restrict' | 'cascade' | 'set-null'
    }
  | { readonly holds: 'many'; readonly to: Kind }
  | { readonly holds: 'nothing'; readonly to: Kind; readonly of: string }

/**
 * In the order of the models, because the inverse relations of a document are written in this
 * order.
 */
export const relations: Readonly<Record<Kind, Readonly<Record<string, Relation>>>> = {
  author: {
    books: { holds: 'nothing', to: 'book', of: 'author' },
    edited: { holds: 'nothing', to: 'book', of: 'editor' },
  },
  book: {
    author: { holds: 'one', to: 'author', onDelete: 'restrict' },
    editor: { holds: 'one', to: 'author', onDelete: 'set-null' },
    genres: { holds: 'many', to: 'genre' },
    reviews: { holds: 'nothing', to: 'review', of: 'book' },
  },
  genre: {
    parent: { holds: 'one', to: 'genre', onDelete: 'set-null' },
    children: { holds: 'nothing', to: 'genre', of: 'parent' },
    books: { holds: 'nothing', to: 'book', of: 'genres' },
  },
  review: { book: { holds: 'one', to: 'book', onDelete: 'cascade' } },
}

/** Genres have no hash: their ETags are weak. */
export const hasHash = (kind: Kind): boolean => kind !== 'genre'
const isRequired = (relation: Relation): boolean =>
  relation.holds === 'one' && relation.onDelete !== 'set-null'

export type Linkage = string | null | readonly string[]
export type Links = Readonly<Record<string, Linkage>>
export type Change = 'add' | 'replace' | 'remove'
/** The precondition of a write. */
export type Match = 'none' | 'current' | 'any' | 'stale'

export type Write =
  | {
      readonly op: 'create'
      readonly kind: Kind
      readonly id: string
      readonly name: string
      readonly links: Links
    }
  | {
      readonly op: 'update'
      readonly kind: Kind
      readonly id: string
      readonly name: string | undefined
      readonly links: Links
      readonly match: Match
    }
  | { readonly op: 'remove'; readonly kind: Kind; readonly id: string; readonly match: Match }
  | {
      readonly op: 'relate'
      readonly kind: Kind
      readonly id: string
      readonly relation: string
      readonly change: Change
      readonly linkage: Linkage
      readonly match: Match
    }

interface StoredResource {
  readonly name: string
  /** The owned relations. */
  readonly links: Links
  /** Changes with each write, and is never used twice. */
  readonly revision: number
}

export class Library {
  readonly #items: ReadonlyMap<Kind, Map<string, StoredResource>>
  #revision: number

  constructor(before?: Library) {
    this.#items = new Map(
      kinds.map((kind) => [kind, new Map(before ? before.#items.get(kind) : [])]),
    )
    this.#revision = before ? before.#revision : 0
  }

  ids(kind: Kind): readonly string[] {
    return [...this.#items.get(kind)!.keys()].toSorted()
  }

  get(kind: Kind, id: string): StoredResource | undefined {
    return this.#items.get(kind)!.get(id)
  }

  /** The linkage of a relation; sorted by id for an inverse one. */
  linkage(kind: Kind, id: string, name: string): Linkage {
    const relation = relations[kind][name]!
    if (relation.holds !== 'nothing') return this.get(kind, id)!.links[name]!
    return this.ids(relation.to).filter((other) =>
      this.#leadsTo(relation.to, other, relation.of, id),
    )
  }

  /** What determines the ETag of an item: its version, or its content without one. */
  stamp(kind: Kind, id: string): string {
    const { name, links, revision } = this.get(kind, id)!
    return hasHash(kind) ? String(revision) : JSON.stringify([name, links])
  }

  /**
   * Applies the write where it is allowed.
   * @returns the statuses of a refusal, after which this library is not usable
   */
  attempt(write: Write): readonly number[] {
    switch (write.op) {
      case 'create':
        return this.#create(write.kind, write.id, write.name, write.links)
      case 'update':
        return this.#existing(write, () =>
          this.#update(write.kind, write.id, write.name, write.links),
        )
      case 'remove':
        return this.#existing(write, () => this.#remove(write.kind, write.id))
      case 'relate':
        return this.#existing(write, () => this.#relate(write))
    }
  }

  #existing(
    { kind, id, match }: Exclude<Write, { op: 'create' }>,
    change: () => readonly number[],
  ): readonly number[] {
    if (!this.get(kind, id)) return [404]
    const isMatch = match === 'none' || match === 'any' || (match === 'current' && hasHash(kind))
    return [...(isMatch ? [] : [412]), ...change()]
  }

  #create(kind: Kind, id: string, name: string, given: Links): readonly number[] {
    const refused = this.get(kind, id) ? [409] : []
    const links: Record<string, Linkage> = {}
    for (const [relation, { holds }] of Object.entries(relations[kind]))
      if (holds !== 'nothing')
        links[relation] = distinct(given[relation] ?? (holds === 'one' ? null : []))
    const itself = Object.entries(relations[kind]).filter(([, { to }]) => to === kind)
    refused.push(
      ...this.#refusals(
        kind,
        links,
        Object.fromEntries(itself.map(([relation]) => [relation, id])),
      ),
    )
    if (refused.length > 0) return refused
    this.#put(kind, id, name, links)
    return this.#writeInverses(kind, id, given, 'add')
  }

  #update(kind: Kind, id: string, name: string | undefined, given: Links): readonly number[] {
    const before = this.get(kind, id)!
    const links: Record<string, Linkage> = { ...before.links }
    for (const relation of Object.keys(before.links))
      if (given[relation] !== undefined) links[relation] = distinct(given[relation])
    const refused = this.#refusals(kind, links, before.links)
    if (refused.length > 0) return refused
    this.#put(kind, id, name ?? before.name, links)
    return this.#writeInverses(kind, id, given, 'replace')
  }

  #relate({
    kind,
    id,
    relation,
    change,
    linkage,
  }: Extract<Write, { op: 'relate' }>): readonly number[] {
    const { holds } = relations[kind][relation]!
    if (holds === 'one' && change !== 'replace') return [403]
    if (holds === 'nothing')
      return this.#changeInverse(kind, id, relation, linkage as readonly string[], change)
    if (change === 'replace') return this.#update(kind, id, undefined, { [relation]: linkage })
    const before = this.linkage(kind, id, relation) as readonly string[]
    const members = linkage as readonly string[]
    const after =
      change === 'add'
        ? [...before, ...members]
        : before.filter((entry) => !members.includes(entry))
    return this.#update(kind, id, undefined, { [relation]: after })
  }

  /** Missing required relations, and ids of missing items, except those that were stored before. */
  #refusals(kind: Kind, links: Links, before: Links | undefined): number[] {
    const errors: number[] = []
    for (const [name, linkage] of Object.entries(links)) {
      const relation = relations[kind][name]!
      if (linkage === null && isRequired(relation)) errors.push(422)
      const current = [before?.[name]].flat()
      for (const id of [linkage].flat())
        if (id !== null && !current.includes(id) && !this.get(relation.to, id)) errors.push(404)
    }
    return errors
  }

  #writeInverses(kind: Kind, id: string, links: Links, change: Change): readonly number[] {
    for (const [name, { holds }] of Object.entries(relations[kind])) {
      if (holds !== 'nothing' || links[name] === undefined) continue
      const refused = this.#changeInverse(kind, id, name, links[name] as readonly string[], change)
      if (refused.length > 0) return refused
    }
    return []
  }

  #changeInverse(
    kind: Kind,
    id: string,
    name: string,
    members: readonly string[],
    change: Change,
  ): readonly number[] {
    const { to, of } = relations[kind][name] as Extract<Relation, { holds: 'nothing' }>
    const current = this.linkage(kind, id, name) as readonly string[]
    const joining =
      change === 'remove' ? [] : [...new Set(members)].filter((entry) => !current.includes(entry))
    const leaving =
      change === 'add'
        ? []
        : current.filter((entry) => members.includes(entry) === (change === 'remove'))
    const refused = joining.filter((entry) => !this.get(to, entry)).map(() => 404)
    if (leaving.length > 0 && isRequired(relations[to][of]!)) refused.push(409)
    if (refused.length > 0) return refused
    for (const entry of joining)
      this.#link(to, entry, of, (before) => (Array.isArray(before) ? [...before, id] : id))
    for (const entry of leaving) this.#unlink(to, entry, of, id)
    return []
  }

  #remove(kind: Kind, id: string): readonly number[] {
    const inbound = kinds.flatMap((from) =>
      Object.entries(relations[from]).flatMap(([name, relation]) => {
        if (relation.holds === 'nothing' || relation.to !== kind) return []
        return this.ids(from)
          .filter((other) => this.#leadsTo(from, other, name, id))
          .map((other) => ({ from, other, name, relation }))
      }),
    )
    const isHeldBack = ({ from, other, relation }: (typeof inbound)[number]) =>
      relation.holds === 'one' &&
      relation.onDelete === 'restrict' &&
      !(from === kind && other === id)
    if (inbound.some(isHeldBack)) return [409]
    this.#items.get(kind)!.delete(id)
    for (const { from, other, name, relation } of inbound) {
      if (!this.get(from, other)) continue
      if (relation.holds === 'one' && relation.onDelete === 'cascade') this.#remove(from, other)
      else this.#unlink(from, other, name, id)
    }
    return []
  }

  #leadsTo(kind: Kind, id: string, relation: string, target: string): boolean {
    return [this.get(kind, id)!.links[relation]].flat().includes(target)
  }

  #unlink(kind: Kind, id: string, relation: string, target: string): void {
    this.#link(kind, id, relation, (current) =>
      Array.isArray(current) ? current.filter((entry) => entry !== target) : null,
    )
  }

  #link(kind: Kind, id: string, relation: string, change: (before: Linkage) => Linkage): void {
    const { name, links } = this.get(kind, id)!
    this.#put(kind, id, name, { ...links, [relation]: change(links[relation]!) })
  }

  /** An unchanged item keeps its version. */
  #put(kind: Kind, id: string, name: string, links: Links): void {
    const before = this.get(kind, id)
    if (before && JSON.stringify([before.name, before.links]) === JSON.stringify([name, links]))
      return
    this.#revision += 1
    this.#items.get(kind)!.set(id, { name, links, revision: this.#revision })
  }
}

function distinct(linkage: Linkage): Linkage {
  return Array.isArray(linkage) ? [...new Set(linkage)] : linkage
}
