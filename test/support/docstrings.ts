import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './documentation.ts'
import type { PublicName } from './public-names.ts'

/** Exports what an example may use without declaring it. */
const prelude = readFileSync(join(root, 'test/support/docstring-prelude.ts'), 'utf8')
const preludeNames = Array.from(
  prelude.matchAll(/^export (?:declare )?(?:const|class|{) (\w+)/gm),
  ([, name = '']) => name,
)

/** The code of the examples in the docstrings of a name. */
export function examplesOf({ text }: PublicName): readonly string[] {
  const docstrings = text.match(/\/\*\*[\s\S]*?\*\//g) ?? []
  return docstrings
    .map((docstring) => docstring.replaceAll(/^ *\* ?/gm, ''))
    .flatMap((docstring) => [...docstring.matchAll(/^```ts\n([\s\S]*?)^```$/gm)])
    .map(([, code = '']) => code)
}

/**
 * A module for each example, by file name. It imports the names of the prelude and the public names
 * that occur in the example. The example is the body of a function, so that its own names go before
 * those.
 */
export function exampleModules(names: readonly PublicName[]): ReadonlyMap<string, string> {
  const modules = names.flatMap((documented, position) =>
    examplesOf(documented).map((example, index) => {
      const words = new Set(example.match(/\w+/g))
      const imports = preludeNames
        .filter((name) => words.has(name))
        .map((name) => `import { ${name} } from './prelude.ts'`)
      for (const { name, specifier, kind } of names)
        if (words.has(name) && !preludeNames.includes(name))
          imports.push(`import { ${kind === 'type' ? 'type ' : ''}${name} } from '${specifier}'`)
      const module = `${imports.join('\n')}\nexport async function example() {\n${example}}\n`
      // The position tells `action` and `Action` apart where file names ignore case.
      const file = `${documented.name}-${position}-${index}.ts`
      return [file, module] as const
    }),
  )
  return new Map([['prelude.ts', prelude], ...modules])
}
