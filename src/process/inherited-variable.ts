/** One for all copies of the package that a process has loaded: the first one removes variables. */
const property = Symbol.for('resourcery.inheritedVariables')

const values = inheritedValues()

/**
 * What the process that started this one has told it by a variable of the environment. It is
 * removed, so that programs which this process starts do not get it.
 */
export function inheritedVariable(name: string): string | undefined {
  if (!values.has(name)) {
    values.set(name, process.env[name])
    delete process.env[name]
  }
  return values.get(name)
}

function inheritedValues(): Map<string, string | undefined> {
  const holder = globalThis as { [property]?: Map<string, string | undefined> }
  holder[property] ??= new Map()
  return holder[property]
}
