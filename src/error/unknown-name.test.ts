import { describe, expect, it } from 'vitest'
import { maxReportedProblems } from './max-reported-problems.ts'
import { listNames, unknownName } from './unknown-name.ts'

const allowed = ['title', 'price']

describe('An unknown name', () => {
  it('is reported with the name that was probably meant', () => {
    expect(unknownName("Unknown field 'titel'", 'titel', allowed)).toBe(
      "Unknown field 'titel'. Did you mean 'title'?",
    )
  })

  it('is reported with all names, where none is near', () => {
    expect(unknownName("Unknown field 'colour'", 'colour', allowed)).toBe(
      "Unknown field 'colour'; expected one of title, price.",
    )
    expect(unknownName("Unknown field 'colour'", 'colour', ['title'])).toBe(
      "Unknown field 'colour'; expected 'title'.",
    )
    expect(unknownName("Unknown field 'colour'", 'colour', [])).toBe(
      "Unknown field 'colour'; expected none.",
    )
  })

  it('is reported with names as they are written, and with what they stand for', () => {
    const format = (name: string) => `page[${name}]`
    expect(unknownName("Unknown 'page[sizes]'", 'sizes', ['size', 'number'], { format })).toBe(
      "Unknown 'page[sizes]'. Did you mean 'page[size]'?",
    )
    expect(unknownName("Unknown 'page[x]'", 'x', ['size', 'number'], { format })).toBe(
      "Unknown 'page[x]'; expected one of page[size], page[number].",
    )
    expect(unknownName("It names 'x'", 'x', allowed, { description: 'the fields' })).toBe(
      "It names 'x'; expected one of the fields: title, price.",
    )
  })

  it('needs no help where the response no longer lists it', () => {
    const options = { problemCount: maxReportedProblems }
    expect(unknownName("Unknown field 'titel'", 'titel', allowed, options)).toBe(
      "Unknown field 'titel'.",
    )
  })

  it('does not make a message of any length', () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`)
    expect(listNames(names)).toMatch(/^n0, .*, n39 and 10 more$/)
  })
})
