"""The rooms' functions over an opened project as methods of one object, which most tests were written against."""

from __future__ import annotations

import os
from typing import Any

from tacit import settings
from tacit.guards import finishing, guarding
from tacit.hooks import recalling
from tacit.learn import block, correcting, learning, looking, queries, readers, reviewing
from tacit.learn import figures as health_of
from tacit.memory import Memory
from tacit.opened import open_store_at, store_path
from tacit.origins import exchange, knowing, tending
from tacit.replay import replaying
from tacit.store import safekeeping
from tacit.sync import team
from tacit.trial import proving


class Memories(Memory):
    """Each name is bound to the function of its room; nothing is done here."""

    def list(self, *, archived: bool = False, **asked: Any) -> Any:
        return self.lessons(gone=archived, **asked)

    home_of = learning.home_of
    _named = learning._named
    _reported = learning._reported
    add = correcting.add
    add_many = correcting.add_many
    alarms = health_of.alarms
    antipatterns = knowing.antipatterns
    arm_check = finishing.arm_check
    arm_guard = guarding.arm_guard
    audit = proving.audit
    backup = safekeeping.backup
    backup_if_due = safekeeping.backup_if_due
    backups = safekeeping.backups
    backups_folder = property(safekeeping.folder_of)
    came_with_repository = learning.came_with_repository
    check = knowing.check
    checks = finishing.checks
    clear = correcting.clear
    context = learning.context
    conventions = knowing.conventions
    counted_anew = reviewing.counted_anew
    desk = learning.desk_of
    disarm_check = finishing.disarm_check
    disarm_guard = guarding.disarm_guard
    earned = block.earned
    edit = correcting.edit
    effect = proving.effect
    effect_of = proving.effect_of
    effect_rows = proving.effect_rows
    erase = correcting.erase
    estimate = knowing.estimate
    exempt = queries.exempt
    explain = queries.explain
    export = exchange.export
    export_files = exchange.export_files
    fade = tending.fade
    feedback = correcting.feedback
    figures = correcting.figures
    for_person = reviewing.for_person
    forget = correcting.forget
    guard_for = guarding.guard_for
    guardable = guarding.guardable
    guards = guarding.guards
    health = queries.health
    import_ = exchange.import_
    import_store = exchange.import_store
    inject = recalling.inject
    instruction_lines = learning.instruction_lines
    invite = team.invite
    is_told_at_starts = queries.is_told_at_starts
    join = team.join
    keep_left = learning.keep_left
    keep_page = block.keep_page
    kept_pages = block.kept_pages
    keep_sessions = learning.keep_sessions
    knowledge = property(knowing.knowledge)
    learn = learning.learn
    log = queries.log
    look = looking.look
    look_up = queries.look_up
    looked = looking.looked
    looks_due = looking.looks_due
    may_change = correcting.may_change
    moved = learning.moved
    moved_from = learning.moved_from
    news = team.news
    note = correcting.note
    notes = queries.notes
    page = block.page
    pin = correcting.pin
    plan_replay = replaying.plan_replay
    proposals = reviewing.proposals
    propose_edit = correcting.propose_edit
    propose_forms = guarding.propose_forms
    proposed_form = guarding.proposed_form
    put_on_page = correcting.put_on_page
    read = learning.read
    read_again = learning.read_again
    read_on = learning.read_on
    reader_asks = guarding.reader_asks
    reader_of = learning.reader_of
    reading_notes = readers.reading_notes
    reading_trouble = readers.reading_trouble
    recall = recalling.recall
    redact_again = safekeeping.redact_again
    refused = team.refused
    regressions = knowing.regressions
    reindex = queries.reindex
    rendered = learning.rendered
    reopen = reviewing.reopen
    replay = replaying.replay
    replayed = replaying.replayed
    replays = replaying.replays
    restore = safekeeping.restore
    retake_exam = readers.retake_exam
    review = reviewing.review
    run = learning.run
    safety_notes = safekeeping.safety_notes
    said_again = proving.said_again
    sessions_left = looking.sessions_left
    settle = reviewing.settle
    share_with = team.share_with
    sharing = team.sharing
    signers = queries.signers
    staging = property(tending.staging)
    statistics = health_of.statistics
    submit = learning.submit
    sync = team.share
    sync_by_itself = team.sync_by_itself
    sync_notes = team.sync_notes
    takes_more_than_a_number = correcting.takes_more_than_a_number
    tend = tending.tend
    top = knowing.top
    try_check = finishing.try_check
    try_guard = guarding.try_guard
    undo = correcting.undo
    unread = readers.unread
    use_profile = settings.use_profile
    verify = exchange.verify
    vouching = property(learning.vouching)
    was_at = learning.was_at
    week = queries.week
    why = queries.why
    worth_a_look = reviewing.worth_a_look
    write_files = exchange.write_files


def open(
    path: str | None = None, project: str | None = None, profile: str | None = None, **asked: Any
) -> Memories:
    """The memory of a project, as `tacit.open` opens it."""
    env = asked.get("env")
    env = os.environ if env is None else env
    store = open_store_at(
        store_path(path, env), env, asked.get("create", True), asked.get("wait", 60.0)
    )
    folder = os.path.abspath(asked.get("cwd") or os.getcwd())
    by, yes, now = asked.get("by", ""), asked.get("yes", False), asked.get("now")
    return Memories(store, env, folder, project or "", profile or "", by, yes, now)
