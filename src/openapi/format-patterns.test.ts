import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { datePattern } from './format-patterns.ts'

const Event = model('event', {
  day: z.iso.date(),
  newYear: z.iso.date().regex(/-01-01$/),
  at: z.iso.datetime(),
  code: z.string().regex(/^[a-z]+$/),
})

function properties() {
  const router = createRouter({ policy: rest(), store: memory() })
  router.prepare(Event)
  return router.toOpenApi().components.schemas!.EventCreate!.properties!
}

describe('A document says dates by their format alone', () => {
  it('leaves out the pattern that the format stands for, as the validator writes it now', () => {
    expect(properties().day).toEqual({ type: 'string', format: 'date' })
  })

  it('keeps patterns that say more than a format, or stand alone', () => {
    const { newYear, at, code } = properties()
    expect(JSON.stringify(newYear)).toContain('-01-01$')
    expect(at).toMatchObject({ format: 'date-time', pattern: expect.any(String) })
    expect(code).toEqual({ type: 'string', pattern: '^[a-z]+$' })
  })

  it('leaves out a pattern of exactly the days of the calendar (RFC 3339, full-date)', () => {
    const pattern = new RegExp(datePattern)
    const two = (value: number) => String(value).padStart(2, '0')
    for (const year of [1900, 1999, 2000, 2023, 2024, 2100])
      for (let month = 0; month <= 13; month++)
        for (let day = 0; day <= 32; day++) {
          const text = `${year}-${two(month)}-${two(day)}`
          const date = new Date(Date.UTC(year, month - 1, day))
          const exists = date.toISOString().startsWith(text)
          expect([text, pattern.test(text)]).toEqual([text, exists])
        }
    for (const text of ['2024-1-1', '2024-01-01T00:00:00Z', ' 2024-01-01', '12024-01-01'])
      expect(pattern.test(text)).toBe(false)
  })
})
