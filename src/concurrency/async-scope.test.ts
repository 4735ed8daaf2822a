import { describe, expect, test } from 'vitest'
import { AsyncScope } from './async-scope.ts'

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('AsyncScope', () => {
  test('code sees its value after it has waited', async () => {
    const scope = new AsyncScope<string>()
    const seen = await scope.run('a', async () => {
      await tick()
      return scope.current
    })
    expect(seen).toBe('a')
    expect(scope.current).toBeUndefined()
  })

  test('code that ends keeps the value of code that still runs', async () => {
    const scope = new AsyncScope<string>()
    const slow = scope.run('slow', async () => {
      await tick()
      await tick()
      return scope.current
    })
    expect(scope.run('quick', () => scope.current)).toBe('quick')
    await scope.run('other', tick)
    expect(await slow).toBe('slow')
  })

  test('nested code gives the value back, also when it throws', () => {
    const scope = new AsyncScope<string>()
    scope.run('outer', () => {
      expect(() =>
        scope.run('inner', () => {
          throw new Error(scope.current)
        }),
      ).toThrow('inner')
      expect(scope.current).toBe('outer')
    })
    expect(scope.current).toBeUndefined()
  })

  test('code that goes on after the end sees nothing, also while other code runs', async () => {
    const scope = new AsyncScope<string>()
    let late: Promise<string | undefined> | undefined
    scope.run('ended', () => {
      late = tick().then(() => scope.current)
    })
    expect(await late).toBeUndefined()
  })
})
