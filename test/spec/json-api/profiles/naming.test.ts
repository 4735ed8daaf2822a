import { createRouter } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { describe, expect, it } from 'vitest'
import { blogModels } from '../../support/blog.ts'

/** What the base specification itself names. */
const own = ['include', 'fields', 'sort', 'filter', 'page']

const memberName = /^[A-Za-z0-9\u0080-\uffff](?:[A-Za-z0-9\u0080-\uffff _-]*[A-Za-z0-9\u0080-\uffff])?$/

describe('JSON:API 1.2, 1.7: what this service adds to the specification', () => {
  const router = createRouter({ policy: jsonApi(), store: memory() })
  for (const one of blogModels) router.prepare(one)
  const parameters = router.rules.flatMap((rule) => rule.parameters)

  it('QP2, XP5: query parameters of our own have a legal name that is not of lower-case letters alone', () => {
    const families = new Set(parameters.flatMap((one) => one.families))
    const added = [...families].filter((family) => !own.includes(family))
    expect(added.toSorted()).toEqual(['filterIncluded', 'pageIncluded', 'sortIncluded', 'withCount'])
    for (const family of added) {
      expect(family).toMatch(memberName)
      expect(family).toMatch(/[^a-z]/)
    }
  })

  it('QP1: every documented name is of its family, with legal names in its brackets', () => {
    for (const { families, documented } of parameters) {
      for (const { name } of documented()) {
        const [, family, brackets] = /^([^[]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
        expect(families, name).toContain(family)
        for (const member of (brackets ?? '').slice(1, -1).split('][')) {
          for (const part of member === '' ? [] : member.split('.')) expect(part, name).toMatch(memberName)
        }
      }
    }
  })

  it('XP6, CN5: the profiles that answers follow are published ones; there is none of our own to explain', () => {
    const profiles = router.rules.flatMap(({ response }) =>
      response.parameters.kind === 'uris' ? response.parameters.profiles.map(({ uri }) => uri) : [],
    )
    expect([...new Set(profiles)]).toEqual(['https://jsonapi.org/profiles/ethanresnick/cursor-pagination'])
  })
})
