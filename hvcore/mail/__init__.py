"""Send mails by SMTP, or write them into files where there is no mail server."""

from hvcore.mail.folder import MailFolder
from hvcore.mail.mailers import mail_folder, make_mailer
from hvcore.mail.smtp import SmtpMailer

__all__ = ["MailFolder", "SmtpMailer", "mail_folder", "make_mailer"]
