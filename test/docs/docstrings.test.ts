import { defaultRouterLimits } from 'resourcery'
import { beforeAll, describe, expect, it } from 'vitest'
import { defaultServerLimits } from '../../src/adapter/node-limits.ts'
import { compilerOutput } from '../support/compiler-output.ts'
import { exampleModules, examplesOf } from '../support/docstrings.ts'
import { optionMembersOf } from '../support/option-members.ts'
import { type PublicName, publicNames } from '../support/public-names.ts'

/** Its example shows that the others are checked: with the types, and with public names only. */
const wrong: PublicName = {
  name: 'wrong',
  specifier: 'resourcery',
  kind: 'value',
  path: 'src/index.ts',
  text: "/**\n * ```ts\n * respond('200')\n * refusalsOf([])\n * ```\n */",
}

describe('The docstrings of the public names', () => {
  const names = publicNames()
  let errors: readonly string[]

  beforeAll(() => {
    errors = compilerOutput(exampleModules([...names, wrong])).split(/\n(?=\S)/)
  }, 120_000)

  it('have examples that compile', () => {
    expect(errors.filter((error) => !error.includes('/wrong-'))).toEqual([])
  })

  it('must not have examples with a wrong type, or with a name that is not public', () => {
    expect(errors.filter((error) => error.includes('/wrong-'))).toEqual([
      expect.stringContaining("error TS2345: Argument of type 'string'"),
      expect.stringContaining("error TS2304: Cannot find name 'refusalsOf'"),
    ])
  })

  it('have an example for every function, class and constant', () => {
    const withoutExample = names.filter(
      (name) => name.kind === 'value' && examplesOf(name).length === 0,
    )
    expect(withoutExample.map(({ name, path }) => `${path}: ${name}`)).toEqual([])
  })

  it('say the default of every option', () => {
    const members = names.flatMap(optionMembersOf)
    const withoutDefault = members.filter(
      ({ isOptional, docstring }) =>
        docstring === '' || (isOptional && !/Default[: ]/.test(docstring)),
    )
    expect(withoutDefault.map(({ name }) => name)).toEqual([])
  })

  it.each([
    ['RouterLimits', defaultRouterLimits],
    ['ServerLimits', defaultServerLimits],
  ])('say the default of each of the %s as the code has it', (owner, defaults) => {
    const docstrings = new Map(
      names.flatMap(optionMembersOf).map(({ name, docstring }) => [name, docstring]),
    )
    for (const [name, value] of Object.entries(defaults)) {
      const figure = value.toLocaleString('en').replaceAll(',', ' ')
      expect(docstrings.get(`${owner}.${name}`)).toMatch(new RegExp(`Default: ${figure}[.,( ]`))
    }
  })
})
