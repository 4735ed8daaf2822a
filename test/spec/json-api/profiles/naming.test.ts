import { createRouter } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { describe, expect, it } from 'vitest'
import { atomicUri } from '../../support/atomic.ts'
import { blogModels } from '../../support/blog.ts'
import { cursorProfile } from '../../support/profiles.ts'

/** The parameters of the base specification. */
const own = ['include', 'fields', 'sort', 'filter', 'page']

const memberName =
  /^[A-Za-z0-9\u0080-\uffff](?:[A-Za-z0-9\u0080-\uffff _-]*[A-Za-z0-9\u0080-\uffff])?$/

describe('JSON:API 1.2, 1.7: what this service adds to the specification', () => {
  const router = createRouter({ policy: jsonApi(), store: memory() })
  for (const blogModel of blogModels) router.prepare(blogModel)
  const parameters = router.rules.flatMap((rule) => rule.parameters)

  it('QP2, XP5: implementation-specific query parameters have a legal name with a capital letter', () => {
    const families = new Set(parameters.flatMap((parameter) => parameter.baseNames))
    const added = [...families].filter((family) => !own.includes(family))
    expect(added.toSorted()).toEqual([
      'filterIncluded',
      'pageIncluded',
      'sortIncluded',
      'withCount',
    ])
    for (const family of added) {
      expect(family).toMatch(memberName)
      expect(family).toMatch(/[^a-z]/)
    }
  })

  it('QP1: every documented name belongs to its family, with legal names in brackets', () => {
    for (const { baseNames, describe } of parameters) {
      for (const { name } of describe()) {
        const [, family, brackets] = /^([^[]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
        expect(baseNames, name).toContain(family)
        for (const member of (brackets ?? '').slice(1, -1).split('][')) {
          for (const part of member === '' ? [] : member.split('.'))
            expect(part, name).toMatch(memberName)
        }
      }
    }
  })

  it('XP6, CN5: responses use published profiles only', () => {
    const profiles = router.rules.flatMap(({ response }) =>
      response.parameters.kind === 'uris' ? response.parameters.profiles.map(({ uri }) => uri) : [],
    )
    expect([...new Set(profiles)]).toEqual([cursorProfile])
  })

  it('XP2, XP3, XP4: the only extension is published, its members have its namespace, and it adds no parameter', () => {
    const media = router.rules.flatMap(({ request, response }) =>
      'parameters' in request ? [response.parameters, request.parameters] : [response.parameters],
    )
    const extensions = media.flatMap((entry) => (entry.kind === 'uris' ? entry.extensions : []))
    expect([...new Set(extensions)]).toEqual([atomicUri])
    const { components, paths } = router.toOpenApi()
    const names = [
      ...JSON.stringify({ components, paths }).matchAll(/"((?:[a-z]+:)+[^":/ ]+)":/g),
    ].map(([, name]) => name)
    expect([...new Set(names)].toSorted()).toEqual(['atomic:operations', 'atomic:results'])
    expect(
      parameters
        .flatMap((parameter) => parameter.baseNames)
        .filter((family) => family.includes(':')),
    ).toEqual([])
  })

  it('XP7: no rule has two profiles, so that none can contradict another', () => {
    for (const { method, path, response } of router.rules) {
      const profiles = response.parameters.kind === 'uris' ? response.parameters.profiles : []
      expect(profiles.length, `${method} ${path}`).toBeLessThanOrEqual(1)
    }
  })

  it('CN19: extension and profile are named by the addresses at which jsonapi.org explains them', () => {
    for (const uri of [atomicUri, cursorProfile])
      expect(uri).toMatch(/^https:\/\/jsonapi\.org\/(?:ext|profiles)\/[a-z/-]+$/)
  })
})
