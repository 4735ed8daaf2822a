import { expect, test } from 'vitest'
import { datePart } from './date-part.ts'

test.each([
  ['0000-01-01T00:00:00', 'America/New_York', '0000-01-01'],
  ['0001-01-01T00:00:00', 'Europe/Berlin', '0001-01-01'],
  ['0001-01-01T00:00:00', 'America/New_York', '0000-12-31'],
  ['0099-06-01T00:00:00', 'Europe/Berlin', '0099-06-01'],
  ['1500-01-01T12:00:00', 'Europe/Berlin', '1500-01-01'],
  ['1582-10-10T12:00:00', 'Europe/Berlin', '1582-10-10'],
  // Local mean time is 53 minutes and 28 seconds ahead.
  ['1582-10-09T23:06:31', 'Europe/Berlin', '1582-10-09'],
  ['1582-10-09T23:06:32', 'Europe/Berlin', '1582-10-10'],
  ['9999-12-31T23:59:59', 'Europe/Berlin', '9999-12-31'],
])('the day of %s in %s is that of the Gregorian calendar', (key, timeZone, day) => {
  // Twice: the offset is remembered.
  expect(datePart(key, 'day', timeZone)).toBe(day)
  expect(datePart(key, 'day', timeZone)).toBe(day)
})
