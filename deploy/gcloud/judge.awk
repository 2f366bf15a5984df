# Judges a history that the canary wrote, or one of the same form: canary --check FILE. A line has a tab between its words:
#
#   increment TIME NUMBER                 a commit's time, and what it added
#   total TIME NUMBER AS_OF UPDATED       a read of the roll-up: its read time, count, as_of and update time
#   total TIME                            a read that found no roll-up
#   warm TIME                             from then on the functions had started, and a total may be late
#   late SECONDS                          an increment that a read so long after it does not show is late
#   slack SECONDS                         a sum may lack commits of so long before its as_of, as an emulator's does; else 0
#
# Times are Firestore's own, as 2026-11-27T10:00:00.123456Z. Exit: 0 all is right, 1 a total is not, 2 this is no history.

BEGIN { FS = "\t"; late = 10000000; slack = warm = increments = reads = versions = faults = refused = next_shown = 0 }
function refuse(expected) {
  printf "line %d: expected %s, found %s\n", FNR, expected, $0 > "/dev/stderr"
  refused = 1
  exit 2
}
# Microseconds since 1970.
function micros(time,   part, year, month, days) {
  if (time !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9](\.[0-9]+)?Z$/) refuse("a time such as 2026-11-27T10:00:00.5Z")
  split(time, part, /[-T:Z]/)
  year = part[1] + 0
  month = part[2] + 0
  if (month < 3) { year--; month += 12 }
  days = 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * month - 457) / 5) + part[3] - 719469
  return ((days * 24 + part[4]) * 60 + part[5]) * 60000000 + int(part[6] * 1000000 + .5)
}
function number(word) { if (word !~ /^-?[0-9]+$/) refuse("a whole number"); return word + 0 }
function seconds(word) { if (word !~ /^[0-9]+(\.[0-9]+)?$/) refuse("seconds"); return word * 1000000 }

/^#/ || !NF { next }
$1 == "increment" && NF == 3 {
  time = micros($2)
  for (i = increments++; i > 0 && commit[i - 1] > time; i--) { commit[i] = commit[i - 1]; added[i] = added[i - 1] }
  commit[i] = time
  added[i] = number($3)
  next
}
$1 == "total" && (NF == 5 || NF == 2) {
  time = micros($2)
  for (i = reads++; i > 0 && read[i - 1] > time; i--) { read[i] = read[i - 1]; line[i] = line[i - 1] }
  read[i] = time
  line[i] = $0
  if (NF == 5 && number($3) + micros($4) + micros($5) == 0) refuse("a total of our time")
  next
}
$1 == "warm" && NF == 2 { warm = micros($2); next }
$1 == "late" && NF == 2 { late = seconds($2); next }
$1 == "slack" && NF == 2 { slack = seconds($2); next }
{ refuse("increment, total, warm, late or slack, with tabs between the words") }

function wrong(what, i) {
  if (++faults <= 20) print what ": " line[i]
}
# The sum of what was committed up to a time, or up to one of the commits in the slack before it, is a number.
function right(count, as_of,   sum, i) {
  sum = 0
  for (i = 0; i < increments && commit[i] <= as_of; i++) {
    if (commit[i] > as_of - slack && sum == count) return 1
    sum += added[i]
  }
  expected = sum
  return sum == count
}
function percentile(n, of, values) { return values[int((n * of + 99) / 100) - 1] / 1000 }
function lags(name, from, to,   n, i, j, lag, sorted) {
  for (i = from; i < to; i++) {
    if (!(i in shown)) continue
    lag = shown[i] - commit[i]
    for (j = n++; j > 0 && sorted[j - 1] > lag; j--) sorted[j] = sorted[j - 1]
    sorted[j] = lag
  }
  if (n) printf "lag, %s: %d increments, p50 %.0f ms, p99 %.0f ms\n", name, n, percentile(n, 50, sorted), percentile(n, 99, sorted)
}
END {
  if (refused) exit 2
  if (!increments || !reads) { print "expected increments and reads of totals, found " increments " and " reads > "/dev/stderr"; exit 2 }
  last = -1 # without a total
  for (i = 0; i < reads; i++) {
    found = split(line[i], word, "\t") == 5
    as_of = found ? micros(word[4]) : -1
    if (as_of < last) wrong("goes back", i)
    if (found) {
      versions += as_of != last
      if (!right(word[3] + 0, as_of)) wrong("wrong, expected " expected, i)
      for (; next_shown < increments && commit[next_shown] <= as_of; next_shown++) shown[next_shown] = micros(word[5])
    }
    last = as_of
    for (j = next_shown; j < increments && commit[j] < warm; j++) {}
    if (j < increments && read[i] - commit[j] > late) wrong("late, lacks the increment of " (read[i] - commit[j]) / 1000000 " s before", i)
  }
  for (cold = 0; cold < increments && commit[cold] < warm; cold++) {}
  print increments " increments, " versions " versions of the total in " reads " reads"
  lags("cold", 0, cold)
  lags("warm", cold, increments)
  if (next_shown < increments) print increments - next_shown " increments are in no total that was read"
  print faults ? faults " reads are not right" : "right: no total is wrong, goes back, or is late"
  exit faults > 0
}
