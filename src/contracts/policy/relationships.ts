import { expect } from 'vitest'
import type { Ids, LinkageDocuments, PolicyService, PolicySuite } from './harness.ts'
import { bookOf } from './writing.ts'

export function relationships(suite: PolicySuite): void {
  suite.alone('stores no item that relates to a missing one', async (service) => {
    const create = service.rule('CreateItem', 'books')
    for (const relations of [
      { author: 'nobody', genres: [] },
      { author: 'shelley', genres: ['nothing'] },
    ]) {
      const refused = await service.send(create, {
        document: service.itemDocument('books', undefined, { title: 'X', price: 1 }, relations),
      })
      expect(refused.status).toBeGreaterThanOrEqual(400)
      expect(service.opened.readErrorCodes(refused.document)).toEqual([
        expect.stringMatching(/^related-(not-found|missing)$/),
      ])
    }
    const { document } = await service.send(service.rule('GetList', 'books'))
    expect(service.opened.readList(document)).toHaveLength(3)
  })

  suite.alone('keeps an item that others relate to', async (service) => {
    const refused = await service.send(service.rule('DeleteItem', 'authors'), { id: 'shelley' })
    expect([refused.status, service.opened.readErrorCodes(refused.document)]).toEqual([
      409,
      ['still-referenced'],
    ])
  })

  suite.alone('returns related items', async (service) => {
    const many = await service.send(service.rule('RelatedGet', 'authors', 'books'), {
      id: 'shelley',
    })
    expect(service.opened.readList(many.document).map(({ id }) => id)).toEqual([
      'frankenstein',
      'the-last-man',
    ])
    const one = await service.send(service.rule('RelatedGet', 'books', 'author'), { id: 'dracula' })
    expect(service.opened.readItem(one.document)).toMatchObject({ id: 'stoker' })
  })

  suite.alone('returns the ids of a relation', async (service) => {
    expect(await linkageOf(service, 'author')).toBe('stoker')
    expect(await linkageOf(service, 'genres')).toEqual(['horror'])
  })

  suite.alone('replaces the ids of a relation', async (service) => {
    await change(service, 'RelationshipPatch', 'author', 'shelley')
    await change(service, 'RelationshipPatch', 'genres', ['classic'])
    expect(await bookOf(service, 'dracula')).toMatchObject({
      author: 'shelley',
      genres: ['classic'],
    })
  })

  suite.alone('adds and removes ids of a to-many relation', async (service) => {
    await change(service, 'RelationshipPost', 'genres', ['classic'])
    expect(await linkageOf(service, 'genres')).toEqual(['horror', 'classic'])
    await change(service, 'RelationshipDelete', 'genres', ['horror'])
    expect(await linkageOf(service, 'genres')).toEqual(['classic'])
  })
}

const plurals = { author: 'authors', genres: 'genres' } as const

async function linkageOf(service: PolicyService, relation: keyof typeof plurals): Promise<Ids> {
  const rule = service.rule('RelationshipGet', 'books', relation)
  const { status, document } = await service.send(rule, { id: 'dracula' })
  expect(status).toBe(200)
  return linkageDocuments(service).read(document)
}

function linkageDocuments({ opened }: PolicyService): LinkageDocuments {
  if (opened.linkage) return opened.linkage
  throw new Error("The policy has operations on linkage, so it needs 'linkage'.")
}

async function change(
  service: PolicyService,
  operation: 'RelationshipPost' | 'RelationshipPatch' | 'RelationshipDelete',
  relation: keyof typeof plurals,
  ids: Ids,
): Promise<void> {
  const rule = service.rule(operation, 'books', relation)
  const document = linkageDocuments(service).write(plurals[relation], ids)
  const { status } = await service.send(rule, { id: 'dracula', document })
  expect([relation, status]).toEqual([relation, expect.toBeOneOf([200, 204])])
}
